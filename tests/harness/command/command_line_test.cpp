// Messages of the command line for wrong calls.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kVerbs{"builds", "cases",   "conform", "convert", "import",
                                      "list",   "nightly", "replay",  "show"};

TEST(CommandLine, EveryVerbHasHelpWithAnExample) {
  const Sandbox sandbox;
  const Finished top = sandbox.run({"--help"});
  EXPECT_EQ(top.status, 0);
  for (const std::string& verb : kVerbs) {
    EXPECT_THAT(top.out, HasSubstr(verb));
    const Finished help = sandbox.run({verb, "--help"});
    EXPECT_EQ(help.status, 0) << verb;
    EXPECT_THAT(help.out, HasSubstr("Example:\n  vintage " + verb)) << verb;
    EXPECT_THAT(help.out, HasSubstr("--format")) << verb;
  }
}

TEST(CommandLine, VerbsAreListedInGroupsWithTheJobsFirst) {
  const std::string help = Sandbox().run({"--help"}).out;
  size_t last = 0;
  for (const char* group :
       {"The four jobs, with what belongs to each:\n  nightly", "Models:\n  put",
        "Builds:\n  builds", "The archive:\n", "Services:\n", "This machine:\n"}) {
    const size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group << help;
    EXPECT_GT(at, last) << group;
    last = at;
  }
  EXPECT_THAT(help, Not(HasSubstr("Subcommands:")));
}

TEST(CommandLine, VersionIsTold) {
  const Sandbox sandbox;
  const Finished finished = sandbox.run({"--version"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, testing::StartsWith("vintage "));
}

TEST(CommandLine, AMistypedVerbIsSuggested) {
  const Sandbox sandbox;
  const Finished near = sandbox.run({"relpay"});
  EXPECT_EQ(near.status, 2);
  EXPECT_THAT(near.err, HasSubstr("did you mean 'replay'?"));
  const Finished far = sandbox.run({"xyzzyplugh"});
  EXPECT_EQ(far.status, 2);
  EXPECT_THAT(far.err, Not(HasSubstr("did you mean")));
  EXPECT_THAT(far.err, HasSubstr("'vintage --help' lists the verbs"));
}

// A mistyped option was answered with another one that is missing: "--archive is required".
TEST(CommandLine, AMistypedOptionIsSuggested) {
  const Sandbox sandbox;
  EXPECT_THAT(sandbox.run({"list", "--archve", "A"}).err,
              HasSubstr("unknown option '--archve'; did you mean '--archive'?"));
  EXPECT_THAT(sandbox.run({"builds", "add", "--archive", "A", "--tensorflo", "2.21.0"}).err,
              HasSubstr("did you mean '--tensorflow'?"));
  EXPECT_THAT(sandbox.run({"list"}).err, HasSubstr("--archive is required"));
}

// Help showed CLI11's inside, "ENUM:value in {json->1,text->0} OR {1,0}", and a verb's verbs ended
// without an example.
TEST(CommandLine, HelpShowsValuesAsTheyAreTyped) {
  const Sandbox sandbox;
  const std::string help = sandbox.run({"builds", "add", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("Example:\n  vintage builds "));
  EXPECT_THAT(help, Not(HasSubstr("... ...")));
  const std::string replay = sandbox.run({"replay", "--help"}).out;
  EXPECT_THAT(replay, HasSubstr("--format TEXT:{text,json}"));
  EXPECT_THAT(replay, HasSubstr("--workers INT in [1 - 256]"));
}

// 'localhost:8700' was taken for a folder: a push to it made one of that name, and succeeded.
TEST(CommandLine, AHostWithAPortIsNoFolder) {
  const Sandbox sandbox;
  const Finished mirrored = sandbox.run({"mirror", "localhost:8700", sandbox.path("A")});
  EXPECT_EQ(mirrored.status, 2);
  EXPECT_THAT(mirrored.err, HasSubstr("name a service as http://localhost:8700"));
}

// An empty variable was taken for a folder: "cannot make absolute path".
TEST(CommandLine, AnEmptyVariableIsNone) {
  ::setenv("VINTAGE_JAX_ROOT", "", 1);
  const Finished doctor = Sandbox().run({"doctor", "--offline"});
  ::unsetenv("VINTAGE_JAX_ROOT");
  EXPECT_EQ(doctor.status, 0) << doctor.err;
}

TEST(CommandLine, WrongCallsExitWithTwo) {
  const Sandbox sandbox;
  const std::vector<std::vector<std::string>> calls{
      {},
      {"replay"},
      {"replay", "--archive"},
      {"replay", "--archive", "A", "--nonsense"},
      {"list", "--archive", "A", "--format", "xml"},
      {"nightly", "--archive", sandbox.path("A"), "--today", "2026-02-30"},
      {"nightly", "--archive", sandbox.path("A"), "--today", "tomorrow"},
      {"replay", "--archive", sandbox.path("A"), "--mode", "lazy"},
      {"replay", "--archive", sandbox.path("A"), "--workers", "0"},
      {"replay", "--archive", sandbox.path("A"), "--workers", "many"},
      {"show"},
      {"show", sandbox.path("nothing here")},
      {"import", sandbox.path("nothing here"), "--archive", sandbox.path("A")},
      {"convert", sandbox.path("x"), "--target", "one", "-o", sandbox.path("y")},
      {"convert", sandbox.path("x"), "-o", sandbox.path("y")},
      {"cases", "--primitive", "no_such_primitive"},
  };
  for (const auto& call : calls) {
    const Finished finished = sandbox.run(call);
    EXPECT_EQ(finished.status, 2) << testing::PrintToString(call) << finished.err;
    EXPECT_THAT(finished.err, testing::StartsWith("vintage: "));
    EXPECT_EQ(finished.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(sandbox.path("A"))) << "a wrong call made an archive";
}

TEST(CommandLine, ADateErrorNamesTheOption) {
  const Sandbox sandbox;
  const Finished finished =
      sandbox.run({"nightly", "--archive", sandbox.path("A"), "--today", "2026-02-30"});
  EXPECT_THAT(finished.err, HasSubstr("--today"));
  EXPECT_THAT(finished.err, HasSubstr("2026-02-30"));
}

TEST(CommandLine, CasesCanBeCountedAndFiltered) {
  const Sandbox sandbox;
  const Finished all = sandbox.run({"cases", "--count"});
  EXPECT_EQ(all.status, 0);
  EXPECT_THAT(all.out, HasSubstr("  add  "));
  EXPECT_THAT(all.out, HasSubstr("static          graph            cpu"));
  const Finished json = sandbox.run({"cases", "--count", "--format", "json"});
  const nlohmann::json counts = nlohmann::json::parse(json.out);
  EXPECT_EQ(counts["primitives"].size(), counts["primitive_count"]);
  EXPECT_GE(counts["by_variant_platform_mode"]["static"]["cpu"]["graph"], 7554);
  // Limited uses are counted apart, and every platform has its own count.
  EXPECT_EQ(counts["by_primitive_and_platform"]["eig"].size(), 1u);
  EXPECT_EQ(counts["by_primitive_and_platform"]["add"].size(), 4u);
  const Finished some = sandbox.run({"cases", "--primitive", "add", "--dtype", "bfloat16"});
  EXPECT_EQ(some.status, 0);
  EXPECT_THAT(some.out, HasSubstr("bf16"));
  EXPECT_THAT(some.out, Not(HasSubstr("f64")));
}

TEST(CommandLine, AFolderThatIsNoArchiveIsRefusedAndLeftAlone) {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("photos"));
  sandbox.write("photos/a.jpg", "a picture");
  for (const char* verb : {"list", "replay", "nightly"}) {
    const Finished finished = sandbox.run({verb, "--archive", sandbox.path("photos")});
    EXPECT_THAT(finished.status, testing::AnyOf(2, 3)) << verb;
    EXPECT_THAT(finished.err, HasSubstr("photos")) << verb;
  }
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::recursive_directory_iterator(sandbox.path("photos")))
    ++files;
  EXPECT_EQ(files, 1u);
}

}  // namespace
}  // namespace vintage::tests::command

// An emulated outcome is never another platform's result: every output for an archive with emulated
// outcomes says the same of cuda, rocm and tpu as for an archive without them. So it is after a
// push, a pull and a mirror, and where somebody records by hand that they passed.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::command {
using namespace archive;

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kToday = "2026-11-21";
constexpr const char* kPages[] = {"limitations.md", "limitations.json", "custom_calls.md",
                                  "results/cholesky.md", "results/sin.md"};

class Emulation : public testing::Test {
 protected:
  void SetUp() override {
    night(path("plain"), {});
    night(path("emulated"), {"--emulate"});
  }

  std::string path(const std::string& name) const { return sandbox_.path(name); }

  Finished expectDone(const std::vector<std::string>& arguments) const {
    Finished finished = sandbox_.run(arguments);
    EXPECT_EQ(finished.status, 0) << arguments[0] << "\n" << finished.out << finished.err;
    return finished;
  }

  void night(const std::string& archive, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"nightly", "--archive",   archive,    "--today",
                                       kToday,    "--primitive", "cholesky", "sin"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expectDone(arguments);
  }

  // Of an archive, without its name.
  std::map<std::string, std::string> pagesOf(const std::string& archive) const {
    const std::string folder = path("pages");
    std::filesystem::remove_all(folder);
    expectDone({"tables", "--archive", archive, "-o", folder, "--today", kToday});
    std::map<std::string, std::string> pages;
    for (const char* page : kPages) {
      std::string& text = pages[page] = Sandbox::read(folder + "/" + page);
      EXPECT_FALSE(text.empty()) << page;
      for (size_t at; (at = text.find(archive)) != std::string::npos;)
        text.replace(at, archive.size(), "ARCHIVE");
    }
    accuracy_ = Sandbox::read(folder + "/accuracy.md");
    windows_ = Sandbox::read(folder + "/windows.md");
    return pages;
  }

  // Its promises and measurements, without the name of an artifact: of several artifacts of one
  // age, chance decides which is named.
  std::set<std::string> windowOf(const std::string& archive) const {
    const Finished shown = sandbox_.run({"window", "--archive", archive, "--today", kToday,
                                         "--no-run", "--beyond", "all", "--format", "json"});
    EXPECT_TRUE(shown.status == 0 || shown.status == 3) << shown.err;
    const auto window = nlohmann::json::parse(shown.out);
    std::set<std::string> lines;
    for (const auto& promise : window["promises"]) lines.insert(promise.dump());
    for (const auto& measured : window["measured"])
      lines.insert(fmt::format("{} {} on {}: {} pass, {} fail", measured["kind"].dump(),
                               measured["name"].dump(), measured["platform"].dump(),
                               measured["pass"].dump(), measured["fail"].dump()));
    return lines;
  }

  void expectLikePlain(const std::string& archive) const {
    SCOPED_TRACE(archive);
    const auto expected = pagesOf(path("plain"));
    for (const auto& [page, text] : pagesOf(archive)) EXPECT_EQ(text, expected.at(page)) << page;
    EXPECT_THAT(accuracy_, HasSubstr("| sin | f32 | cpu | graph |"));
    EXPECT_THAT(windows_, HasSubstr("| cpu |"));
    for (const std::string& page : {accuracy_, windows_})
      EXPECT_THAT(page, AllOf(Not(HasSubstr("| cuda |")), Not(HasSubstr("| rocm |")),
                              Not(HasSubstr("| tpu |"))));
    EXPECT_EQ(windowOf(archive), windowOf(path("plain")));
    expectDone({"limitations", "reconcile", "--archive", archive, "--today", kToday});
  }

  // Outcomes by a person who wants the tables to say that all of it works there.
  void recordThatAllPassed(const std::string& folder) const {
    auto archive = Archive::open(folder, Archive::Mode::kReadWrite);
    ASSERT_TRUE(archive) << archive.error().message;
    const auto builds = archive->builds();
    ASSERT_TRUE(builds);
    ASSERT_EQ(builds->size(), 1u);
    RunRecord run;
    run.kind = "nightly";
    const auto id = archive->putRun(run);
    ASSERT_TRUE(id) << id.error().message;
    std::vector<OutcomeRecord> outcomes;
    const auto records = archive->list({});
    ASSERT_TRUE(records);
    for (const ArtifactRecord& record : *records)
      for (const std::string& platform : record.platforms)
        if (platform != "cpu") {
          OutcomeRecord outcome;
          outcome.artifact = record.id;
          outcome.golden = record.golden;
          outcome.build = builds->front().name;
          outcome.platform = platform;
          outcome.mode = "graph";
          outcome.run = *id;
          outcomes.push_back(std::move(outcome));
        }
    ASSERT_GE(outcomes.size(), 30u);
    const Status put = archive->putOutcomes(outcomes);
    ASSERT_TRUE(put) << put.error().message;
    const nlohmann::json row{{"primitive", "sin"}, {"dtype", "f32"},   {"platform", "cuda"},
                             {"mode", "graph"},    {"elements", 64},   {"differing", 0},
                             {"largest_ulps", 0},  {"mean_ulps", 0.0}, {"allowed_ulps", 4},
                             {"name", ""},         {"place", ""},      {"input", ""},
                             {"expected", ""},     {"actual", ""}};
    nlohmann::json cpu = row;
    cpu["platform"] = "cpu";
    const nlohmann::json notes{{"measured_on", builds->front().name}, {"accuracy", {row, cpu}}};
    const Status finished = archive->finishRun(*id, notes.dump());
    ASSERT_TRUE(finished) << finished.error().message;
  }

  Sandbox sandbox_;
  mutable std::string accuracy_, windows_;  // Pages of pagesOf() whose rows differ.
};

TEST_F(Emulation, ItIsRecordedUnderANameOfItsOwnAndKeepsNoPromise) {
  const auto report = nlohmann::json::parse(
      Sandbox::read(path("emulated") + "/reports/" + kToday + "/report.json"));
  std::map<std::string, int> ran;
  for (const auto& pair : report["pairs"]) {
    ++ran[pair["platform"]];
    if (pair["platform"] != "cpu") {
      EXPECT_EQ(pair["promise"], "") << pair["name"];
      EXPECT_THAT(pair["command"].get<std::string>(), HasSubstr(" --emulate"));
    }
  }
  EXPECT_GT(ran["cpu"], 10);
  for (const char* platform : {"cuda", "rocm", "tpu"}) {
    EXPECT_GT(ran[std::string(platform) + " (emulated)"], 10) << platform;
    EXPECT_EQ(ran[platform], 0) << platform;
  }
}

TEST_F(Emulation, NoTableNoWindowAndNoReconciliationTakesItForThePlatforms) {
  for (const auto& [page, text] : pagesOf(path("emulated")))
    EXPECT_THAT(text, Not(HasSubstr("(emulated)"))) << page;
  // Where it stands, it stands as what it is.
  EXPECT_THAT(accuracy_, HasSubstr("| sin | f32 | cuda (emulated) | graph |"));
  expectLikePlain(path("emulated"));
}

TEST_F(Emulation, NorAfterAPushAPullAndAMirror) {
  expectDone({"push", "--archive", path("emulated"), path("pushed")});
  expectDone({"pull", path("pushed"), "--archive", path("pulled")});
  expectDone({"mirror", path("pulled"), path("mirrored")});
  for (const char* copy : {"pushed", "pulled", "mirrored"}) {
    // The outcomes are there.
    auto archive = Archive::open(path(copy), Archive::Mode::kReadOnly);
    ASSERT_TRUE(archive) << archive.error().message;
    OutcomeFilter filter;
    filter.platforms = {"tpu (emulated)"};
    EXPECT_GT(archive->outcomes(filter)->size(), 10u);
    filter.platforms = {"cuda", "rocm", "tpu"};
    EXPECT_TRUE(archive->outcomes(filter)->empty());
  }
  for (const char* copy : {"pushed", "mirrored"}) expectLikePlain(path(copy));
}

// An outcome "pass on cuda" of a build that runs cpu only turned the tables' cells.
TEST_F(Emulation, AnOutcomeThatClaimsAPlatformThatItsBuildDoesNotRunCountsNowhere) {
  recordThatAllPassed(path("emulated"));
  expectLikePlain(path("emulated"));
  expectDone({"push", "--archive", path("emulated"), path("pushed")});
  expectLikePlain(path("pushed"));

  const Finished shown =
      expectDone({"explain", "sin_f32[8,8]/cuda", "--archive", path("emulated"), "--build",
                  "vintage-engine " + std::string(kToday), "--format", "json"});
  const auto explained = nlohmann::json::parse(shown.out);
  ASSERT_EQ(explained["pairs"].size(), 1u) << shown.out;
  EXPECT_EQ(explained["pairs"][0]["platform"], "cuda (emulated)");
}

// `explain` named a promise for what was emulated, and a command with
// "--platform cuda (emulated)", which no shell takes.
TEST_F(Emulation, ExplainSaysHowToEmulateItAgainAndNamesNoPromise) {
  const Finished shown = expectDone(
      {"explain", "sin_f32[8,8]/cuda", "--archive", path("emulated"), "--format", "json"});
  const auto explained = nlohmann::json::parse(shown.out);
  ASSERT_EQ(explained["pairs"].size(), 1u) << shown.out;
  const auto& pair = explained["pairs"][0];
  EXPECT_TRUE(pair["promises"].empty());
  const std::string command = pair["reproduce"];
  EXPECT_THAT(command, AllOf(HasSubstr("--platform cuda --mode graph"), HasSubstr(" --emulate"),
                             Not(HasSubstr("(emulated)"))));
}

// A multi-platform artifact that passed under emulation was not run on the cpu by
// `replay --rerun`, as if it had passed there.
TEST_F(Emulation, AnEmulatedPassDoesNotKeepAnArtifactFromARerun) {
  const std::string archive = path("several");
  expectDone({"nightly", "--archive", archive, "--today", kToday, "--primitive", "sin", "--variant",
              "multi_platform", "--platform", "cpu"});
  const std::string next = "2026-11-22";  // Another build, on which nothing ran yet.
  expectDone({"replay", "--archive", archive, "--today", next, "--platform", "cuda", "--emulate"});
  const Finished again =
      expectDone({"replay", "--archive", archive, "--today", next, "--rerun", "--format", "json"});
  const auto report = nlohmann::json::parse(again.out);
  EXPECT_GT(report["counts"]["ran"], 0);
  for (const auto& pair : report["pairs"]) EXPECT_EQ(pair["platform"], "cpu");
}

}  // namespace
}  // namespace vintage::tests::command

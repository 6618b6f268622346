// Windows with the real program, real workers, and builds of many dates.

#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/strict_json.h"
#include "harness/runtimes/builds/builds.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFakeWorker = VINTAGE_BINARY "/bin/vintage_misbehaving_worker";

// Its artifacts were exported on 2025-06-01.
class WindowCommand : public testing::Test {
 protected:
  void import(const std::string& name, float third, const std::string& text = kAddText) const {
    ASSERT_EQ(sandbox_
                  .run({"import", writeCompatibilityTest(sandbox_, name, third, text), "--archive",
                        archive_})
                  .status,
              0);
  }
  // The real engine under that date, kept.
  void engine(const std::string& date) const {
    const Finished added = sandbox_.run(
        {"builds", "add", "--archive", archive_, "--embedded", "--date", date, "--name", date});
    ASSERT_EQ(added.status, 0) << added.err;
  }
  // A consumer that gives its first input back, so that an addition fails on it.
  void fake(const std::string& name, const std::string& date) const {
    ASSERT_EQ(sandbox_
                  .run({"builds", "add", "--archive", archive_, "--name", name, "--date", date,
                        "--", kFakeWorker})
                  .status,
              0);
  }
  Finished window(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"window", "--archive", archive_, "--today", "2025-12-31"});
    return sandbox_.run(arguments);
  }
  nlohmann::json report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--format", "json"});
    return nlohmann::json::parse(window(arguments).out);
  }

  const Sandbox sandbox_;
  const std::string archive_ = sandbox_.path("A");
};

// In an archive with releases of JAX alone, which only compile, 'window' asked for mode graph and
// said that nothing ran.
TEST_F(WindowCommand, ConsumersThatOnlyCompileAreAskedToCompile) {
  import("good", 33);
  {
    auto archive = Archive::open(archive_, Archive::Mode::kReadWrite);
    ASSERT_TRUE(archive) << archive.error().message;
    BuildRecord release;
    release.name = "release";
    release.buildDate = std::chrono::sys_days(std::chrono::year(2025) / 7 / 1);
    release.platforms = {"cpu"};
    release.modes = {"compiled"};
    release.kind = "command";
    release.start.emplace().worker = {"/bin/true"};
    ASSERT_TRUE(registerBuild(*archive, release));
  }
  EXPECT_THAT(window({"--plan"}).out, HasSubstr("1 would run"));
  EXPECT_THAT(window({"--plan", "--mode", "graph"}).out, HasSubstr("0 would run"));
  // Beside an engine it was left out without a word.
  engine("2025-07-01");
  const Finished mixed = window({});
  EXPECT_THAT(mixed.out,
              HasSubstr("not judged: 1 build without the mode graph, the first is release"));
  EXPECT_THAT(window({"--plan", "--consumer", "release"}).out, HasSubstr("1 would run"));
}

// 2025-06-01 and 180 days is 2025-11-28; 21 days before is 2025-05-11.
TEST_F(WindowCommand, TheBordersToTheDay) {
  import("good", 33);
  for (const char* date : {"2025-05-10", "2025-05-11", "2025-11-28", "2025-11-29"}) engine(date);
  const auto counts = [&](const char* build) {
    const auto shown = report({"--consumer", build})["promises"];
    return std::pair(shown[0]["pass"].get<int>(), shown[1]["pass"].get<int>());
  };
  EXPECT_EQ(counts("2025-11-28"), std::pair(1, 0));  // Day 180.
  EXPECT_EQ(counts("2025-11-29"), std::pair(0, 0));  // Day 181.
  EXPECT_EQ(counts("2025-05-11"), std::pair(0, 1));  // 21 days before.
  EXPECT_EQ(counts("2025-05-10"), std::pair(0, 0));  // 22.
  const auto status = [&](const char* build, const char* promise) {
    return window({"--consumer", build, "--scope", promise}).status;
  };
  EXPECT_EQ(status("2025-11-28", "backward"), 0);
  EXPECT_EQ(status("2025-11-29", "backward"), 4);
  EXPECT_EQ(status("2025-05-11", "forward"), 0);
  EXPECT_EQ(status("2025-05-10", "forward"), 4);

  // Beyond the promises it was measured: all four run it.
  const auto whole = report({});
  EXPECT_EQ(whole["promises"][0]["pass"], 1);
  EXPECT_EQ(whole["promises"][1]["pass"], 1);
  ASSERT_EQ(whole["measured"].size(), 2u);  // Of its platform and its primitive.
  for (const auto& measured : whole["measured"]) {
    EXPECT_EQ(measured["oldest_consumer"]["consumer_date"], "2025-05-10");
    EXPECT_EQ(measured["longest_backward"]["consumer_date"], "2025-11-29");
  }
  // A consumer of tomorrow is no matter of today.
  EXPECT_EQ(sandbox_.run({"window", "--archive", archive_, "--today", "2025-05-31"}).status, 4);
}

// Five years after 2025-06-01 and two years before it, both inside.
TEST_F(WindowCommand, TheBordersOfStablehlosPolicyToTheDay) {
  import("good", 33);
  for (const char* date : {"2023-05-31", "2023-06-01", "2030-06-01", "2030-06-02"}) engine(date);
  const auto counts = [&](const char* build, const char* promise) {
    const Finished shown =
        sandbox_.run({"window", "--archive", archive_, "--policy", "stablehlo", "--today",
                      "2031-01-01", "--consumer", build, "--scope", promise, "--format", "json"});
    const auto promises = nlohmann::json::parse(shown.out)["promises"];
    return std::tuple(shown.status, promises[0]["pass"].get<int>(), promises[1]["pass"].get<int>());
  };
  EXPECT_EQ(counts("2030-06-01", "backward"), std::tuple(0, 1, 0));
  EXPECT_EQ(counts("2030-06-02", "backward"), std::tuple(4, 0, 0));
  EXPECT_EQ(counts("2023-06-01", "forward"), std::tuple(0, 0, 1));
  EXPECT_EQ(counts("2023-05-31", "forward"), std::tuple(4, 0, 0));
}

// A release of 2025-05-21 reads calling convention 9 at most, the engine of
// 2025-06-01 reads 10 and exports it at once; 30 days later is 2025-07-01.
TEST_F(WindowCommand, TheBorderOfADefaultThatIsBumped) {
  import("good", 33);
  const std::string facts = sandbox_.write("releases.json", R"({"releases": [
    {"tag": "jax-v0.6.1", "date": "2025-05-21", "minimum_jaxlib_version": "0.6.1",
     "minimum_supported_calling_convention_version": 9,
     "maximum_supported_calling_convention_version": 9}]})");
  ASSERT_EQ(sandbox_.run({"builds", "import", facts, "--archive", archive_}).status, 0);
  for (const char* date : {"2025-06-01", "2025-06-30", "2025-07-01"}) engine(date);
  std::map<std::string, std::string> verdicts;
  const auto shown = report({"--facts"});
  for (const auto& bump : shown["default_bumps"]) verdicts[bump["producer"]] = bump["verdict"];
  EXPECT_EQ(verdicts["2025-06-01"], "broken");
  EXPECT_EQ(verdicts["2025-06-30"], "broken");
  EXPECT_EQ(verdicts["2025-07-01"], "holds");
  // It said that nothing was missing, and could not tell.
  const auto alone = report({"--consumer", "2025-06-01"});
  EXPECT_EQ(alone["verdict"], "cannot tell");
  EXPECT_THAT(alone["reasons"][0].get<std::string>(), Not(HasSubstr("0 parts")));
}

TEST_F(WindowCommand, WhatIsKnownIsNotRunAgain) {
  import("good", 33);
  engine("2025-06-01");
  engine("2025-07-01");  // The same program: one execution tells of both.
  const auto first = report({});
  EXPECT_EQ(first["ran"], 1);
  EXPECT_EQ(first["promises"][0]["pairs"], 2);
  const auto second = report({});
  EXPECT_EQ(second["ran"], 0);
  EXPECT_EQ(second["reused"], 1);
  EXPECT_EQ(second["promises"][0]["pass"], 2);
  // Also where only the build is asked for on which it did not run.
  for (const char* build : {"2025-06-01", "2025-07-01"}) {
    const auto one = report({"--consumer", build});
    EXPECT_EQ(one["ran"], 0) << build;
    EXPECT_EQ(one["promises"][0]["pairs"], 1) << build;
  }
  EXPECT_EQ(report({"--rerun"})["ran"], 1);
  const auto plan = nlohmann::json::parse(window({"--plan", "--format", "json"}).out);
  EXPECT_EQ(plan["known"], 1);
  EXPECT_EQ(plan["to_run"], 0);
  // Another program is another matter.
  fake("fake", "2025-06-02");
  EXPECT_EQ(report({"--plan"})["to_run"], 1);
}

TEST_F(WindowCommand, ABrokenPromiseNamesThePairAndHowToExplainIt) {
  import("good", 33);
  engine("2025-07-01");
  fake("fake", "2025-05-20");
  const Finished shown = window({});
  EXPECT_EQ(shown.status, 1) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("promise backward (180 days): holds"),
                               HasSubstr("promise forward (21 days): broken"),
                               HasSubstr("on fake of 2025-05-20"), HasSubstr("vintage explain")));
  const Finished explained =
      sandbox_.run({"explain", "good", "--build", "fake", "--archive", archive_});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_THAT(explained.out,
              AllOf(HasSubstr("StableHLO 1.0.0; 0.9.0 could carry it"),
                    HasSubstr("promise: forward; the consumer was built 12 days before"),
                    HasSubstr("recorded: mismatch in compare"), HasSubstr("vintage replay")));
}

TEST_F(WindowCommand, AMissingBuildMakesThatItCannotBeTold) {
  import("good", 33);
  engine("2025-07-01");
  const std::string copy = sandbox_.path("worker");
  std::filesystem::copy(kFakeWorker, copy);
  ASSERT_EQ(sandbox_
                .run({"builds", "add", "--archive", archive_, "--name", "gone", "--date",
                      "2025-08-01", "--", copy})
                .status,
            0);
  std::filesystem::remove(copy);
  const Finished shown = window({});
  EXPECT_EQ(shown.status, 3) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("cannot tell"), HasSubstr("missing: gone (1 pair)")));
  // One that starts no more is a breakage, not a verdict on the artifact.
  std::filesystem::copy("/bin/false", copy);
  const Finished broken = window({});
  EXPECT_EQ(broken.status, 3) << broken.out;
  EXPECT_THAT(broken.out, HasSubstr("broke: "));
}

TEST_F(WindowCommand, ShardsOnMachinesOfTheirOwnComeTogether) {
  for (int i = 0; i < 6; ++i) {
    std::string text = kAddText;
    for (size_t at; (at = text.find("@add")) != std::string::npos;)
      text.replace(at, 4, "@case" + std::to_string(i));
    import("case" + std::to_string(i), i == 3 ? 34.0f : 33.0f, text);
  }
  engine("2025-07-01");
  const std::string other = sandbox_.path("B");
  std::filesystem::copy(archive_, other, std::filesystem::copy_options::recursive);
  const std::string one = sandbox_.path("1.json"), two = sandbox_.path("2.json");
  // The shard without a failure exited with 0, and its JSON said 3.
  std::set<int> statuses{window({"--shard", "1/2", "--scope", "backward", "-o", one}).status};
  statuses.insert(sandbox_
                      .run({"window", "--archive", other, "--today", "2025-12-31", "--shard", "2/2",
                            "--scope", "backward", "-o", two})
                      .status);
  EXPECT_EQ(statuses, (std::set<int>{0, 1}));
  for (const std::string& file : {one, two}) {
    const auto part = nlohmann::json::parse(readTextFile(file).value());
    EXPECT_TRUE(statuses.contains(part["exit_status"])) << part["reasons"];
    EXPECT_THAT(part["reasons"].dump(), HasSubstr("this judges 1 of 2 shards"));
  }
  const Finished merged = sandbox_.run({"merge", one, two, "--format", "json"});
  EXPECT_EQ(merged.status, 1) << merged.err;
  const auto result = nlohmann::json::parse(merged.out);
  EXPECT_EQ(result["promises"][0]["pairs"], 6);
  EXPECT_EQ(result["promises"][0]["pass"], 5);
  EXPECT_EQ(result["promises"][0]["broken"][0]["name"], "case3");
  // A shard alone does not tell of the whole.
  EXPECT_THAT(sandbox_.run({"merge", one}).out, HasSubstr("only shard 1 of 2"));
  EXPECT_EQ(sandbox_.run({"merge", one, one}).status, 2);
  // The archives too.
  const Finished archives = sandbox_.run({"merge", other, "--into", archive_});
  EXPECT_EQ(archives.status, 0) << archives.err;
  const auto judged = report({"--no-run"});
  EXPECT_EQ(judged["ran"], 0);
  EXPECT_EQ(judged["promises"][0]["pass"], 5);
  EXPECT_EQ(judged["promises"][0]["failures"], 1);
  EXPECT_EQ(judged["promises"][0]["unknown"], 0);
}

TEST_F(WindowCommand, FactsAnswerStatically) {
  ASSERT_EQ(sandbox_
                .run({"nightly", "--archive", archive_, "--primitive", "neg", "--variant", "static",
                      "--platform", "cpu", "--today", "2025-05-20"})
                .status,
            0);
  const std::string facts = sandbox_.write("jax-0.6.1.json", R"({
    "format": "vintage runtime", "version": 1, "name": "jax 0.6.1",
    "build_date": "2025-05-21", "platforms": ["cpu"],
    "calling_convention": {"oldest": 9, "newest": 10, "default": 10},
    "serialization": {"oldest": 99, "newest": 99, "default": 99},
    "stablehlo": {"newest": "9.0.0"}, "targets": []})");
  ASSERT_EQ(sandbox_.run({"builds", "import", facts, "--archive", archive_}).status, 0);
  EXPECT_THAT(window({}).out, HasSubstr("left out: 1 build known only by facts"));
  const Finished shown = window({"--facts"});
  EXPECT_EQ(shown.status, 1) << shown.out;
  EXPECT_THAT(shown.out, HasSubstr("by its facts: it reads serialization versions from 99 on"));
}

TEST_F(WindowCommand, WrongCalls) {
  import("good", 33);
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "1/2x", "-1/2", "1/99999999999"})
    EXPECT_EQ(window({"--shard", shard}).status, 2) << shard;
  EXPECT_EQ(window({"--policy", sandbox_.path("none.json")}).status, 2);
  EXPECT_EQ(window({"--policy", sandbox_.write("p.json", "{")}).status, 3);
  EXPECT_EQ(window({"--consumer", "nobody"}).status, 2);
  EXPECT_EQ(sandbox_.run({"explain", "nothing", "--archive", archive_}).status, 2);
  EXPECT_EQ(sandbox_.run({"merge", sandbox_.write("x.json", "[]")}).status, 3);
  EXPECT_EQ(sandbox_.run({"window", "--archive", sandbox_.path("none")}).status, 2);
}

}  // namespace
}  // namespace vintage::tests::command

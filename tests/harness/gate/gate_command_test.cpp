// `vintage gate` on the command line: statuses, formats and bad input, on a real archive.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "tests/harness/command/artifacts.h"

namespace vintage::tests {
using namespace archive;

namespace {

using nlohmann::json;
using testing::HasSubstr;
using tests::command::Finished;
using tests::command::Sandbox;

constexpr const char* kCall = R"(module @call {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @solve(%arg0, %arg1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
)";

// An archive with one golden of 2025-06-01 that calls solve, and two descriptions:
// NEW no longer has it. 2025-06-01 + 180 days = 2025-11-28.
struct GateCommand : testing::Test {
  Sandbox sandbox;
  RuntimeDescription before, after;

  GateCommand() {
    const std::string folder = tests::command::writeCompatibilityTest(sandbox, "call", 33, kCall);
    const Finished imported = sandbox.run({"import", "--archive", sandbox.path("A"), folder});
    EXPECT_EQ(imported.status, 0) << imported.err;
    before.name = "runtime 2025-06-01";
    before.buildDate = *parseDate("2025-06-01");
    before.platforms = {"cpu"};
    RegisteredTarget target;
    target.name = "solve";
    target.platform = "cpu";
    before.targets = {target};
    before.stableTargets = {{"solve", *parseDate("2025-01-01")}};
    after = before;
    after.name = "runtime 2025-11-28";
    after.buildDate = *parseDate("2025-11-28");
    after.targets.clear();
    after.stableTargets.clear();
    sandbox.write("releases.json", R"({"releases": [{"tag": "jaxlib-v1.0.0", "date": "2025-05-01",
                                       "stable_targets": ["solve"]}]})");
  }

  Finished gate(const char* today, std::vector<std::string> more = {}) const {
    sandbox.write("old.json", toJson(before).dump(1));
    sandbox.write("new.json", toJson(after).dump(1));
    std::vector<std::string> arguments = {"gate",
                                          "--old",
                                          sandbox.path("old.json"),
                                          "--new",
                                          sandbox.path("new.json"),
                                          "--archive",
                                          sandbox.path("A"),
                                          "--release-dates",
                                          sandbox.path("releases.json"),
                                          "--today",
                                          today};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox.run(arguments);
  }
};

TEST_F(GateCommand, ForbidsTheRemovalOnTheLastDayOfTheWindow) {
  const Finished done = gate("2025-11-28");
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_THAT(done.out, HasSubstr("forbidden     target-removed-in-use  solve@cpu"));
  EXPECT_THAT(done.out,
              HasSubstr("earliest legal date: 2025-11-29 = 2025-06-01 (call) + 181 days"));
  EXPECT_THAT(done.out, HasSubstr("docs/gate/rules.md#target-removed-in-use"));
  EXPECT_THAT(done.out, HasSubstr("result: forbidden (1 finding forbids it"));
}

TEST_F(GateCommand, AllowsItOnTheNextDay) {
  const Finished done = gate("2025-11-29");
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("result: allowed"));
}

TEST_F(GateCommand, NeedsReviewHasAStatusOfItsOwn) {
  before.stableTargets.clear();
  sandbox.write("releases.json", R"({"releases": []})");
  const Finished done = gate("2025-11-28");
  EXPECT_EQ(done.status, 5) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("result: needs review"));
}

TEST_F(GateCommand, TellsItInEveryFormat) {
  const Finished done =
      gate("2025-11-28", {"--format", "json", "--sarif", sandbox.path("s.sarif"), "--junit",
                          sandbox.path("j.xml"), "--github-annotations", sandbox.path("github"),
                          "--gitlab-code-quality", sandbox.path("gitlab.json")});
  EXPECT_EQ(done.status, 1) << done.err;
  const json verdict = json::parse(done.out);
  EXPECT_EQ(verdict["result"], "forbidden");
  EXPECT_EQ(verdict["findings"][0]["artifacts"][0]["name"], "call");
  EXPECT_EQ(verdict["earliest_legal_date"]["date"], "2025-11-29");

  const json run = json::parse(Sandbox::read(sandbox.path("s.sarif")))["runs"][0];
  const json& result = run["results"][0];
  EXPECT_EQ(result["ruleId"], "target-removed-in-use");
  EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<size_t>()]["id"],
            "target-removed-in-use");
  const json& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "file://" + sandbox.path("old.json"));
  // The target's line in OLD.
  const std::string old = Sandbox::read(sandbox.path("old.json"));
  const auto upTo = static_cast<std::ptrdiff_t>(old.find("\"solve\""));
  EXPECT_EQ(place["region"]["startLine"], 1 + std::count(old.begin(), old.begin() + upTo, '\n'));

  EXPECT_THAT(Sandbox::read(sandbox.path("j.xml")),
              HasSubstr("<failure message=\"'solve' is removed"));
  EXPECT_THAT(Sandbox::read(sandbox.path("github")), HasSubstr("::error file="));
  EXPECT_EQ(json::parse(Sandbox::read(sandbox.path("gitlab.json")))[0]["severity"], "blocker");
}

TEST_F(GateCommand, AWaiverHoldsUntilItExpires) {
  sandbox.write("waivers.json", R"({"format": "vintage gate waivers", "version": 1, "waivers": [
    {"rule": "target-removed-in-use", "instance": "solve@cpu", "reason": "exported anew",
     "artifacts": 1, "expires": "2025-11-27"}]})");
  const Finished expired = gate("2025-11-28", {"--waivers", sandbox.path("waivers.json")});
  EXPECT_EQ(expired.status, 1);
  EXPECT_THAT(expired.out, HasSubstr("waiver-expired"));
  const Finished held = gate("2025-11-27", {"--waivers", sandbox.path("waivers.json")});
  EXPECT_EQ(held.status, 0) << held.out << held.err;
  EXPECT_THAT(held.out, HasSubstr("waived: exported anew"));
}

TEST_F(GateCommand, JudgesAHistory) {
  sandbox.write("history.json", R"({"changes": [
    {"commit": "c1", "date": "2025-04-01", "added": ["solve"], "removed": [], "subject": "list it"},
    {"commit": "c2", "date": "2025-10-28", "added": [], "removed": ["solve"], "subject": "remove it"},
    {"commit": "c3", "date": "2025-11-29", "added": ["other"], "removed": [], "subject": "list another"}]})");
  const Finished done =
      sandbox.run({"gate", "--history", sandbox.path("history.json"), "--archive",
                   sandbox.path("A"), "--release-dates", sandbox.path("releases.json")});
  EXPECT_EQ(done.status, 1) << done.err;
  // The release of 2025-05-01 was its last: + 181 days = 2025-10-29. The artifact: 2025-11-29.
  EXPECT_THAT(
      done.out,
      HasSubstr("2025-10-29 = 2025-05-01 (jaxlib 1.0.0, the last release with it) + 181 days"));
  EXPECT_THAT(done.out, HasSubstr("the whole change is legal from 2025-11-29"));
}

// Consumers read 10 since 2026-01-15; a release of 2026-01-20 writes it: + 21 = 2026-02-05.
TEST_F(GateCommand, JudgesThePastOfVersions) {
  sandbox.write("format.json", R"({"calling_conventions": [], "serialization_versions": [
    {"version": 10, "date": "2026-01-15"}], "tables": {}})");
  sandbox.write("jax.json", R"({"releases": [
    {"tag": "jax-v1.0", "date": "2025-12-18", "serialization_version": 9},
    {"tag": "jax-v1.1", "date": "2026-01-20", "serialization_version": 10}]})");
  const Finished done =
      sandbox.run({"gate", "--versions", sandbox.path("format.json"), "--archive",
                   sandbox.path("A"), "--release-dates", sandbox.path("jax.json")});
  EXPECT_EQ(done.status, 1) << done.err;
  EXPECT_THAT(done.out, HasSubstr("serialization version 10 becomes the default (jax 1.1)"));
  EXPECT_THAT(done.out, HasSubstr("legal from 2026-02-05 = 2026-01-15"));
}

TEST_F(GateCommand, WrongCallsAndBadFilesAreTold) {
  struct Case {
    std::vector<std::string> arguments;
    int status;
    const char* message;
  };
  gate("2025-11-28");  // Writes the files.
  const std::string old = sandbox.path("old.json"), fresh = sandbox.path("new.json"),
                    archive = sandbox.path("A");
  const std::string damaged = sandbox.write("damaged.json", Sandbox::read(old).substr(0, 100));
  const Case cases[] = {
      {{"gate"},
       2,
       "give --old and --new, --history or --versions, --releases FROM..TO, or --facts"},
      {{"gate", "--old", old, "--new", fresh}, 2, "--archive"},
      {{"gate", "--old", old, "--archive", archive}, 2, "--new"},
      {{"gate", "--old", old, "--new", sandbox.path("none.json"), "--archive", archive},
       2,
       "none.json"},
      {{"gate", "--old", damaged, "--new", fresh, "--archive", archive},
       3,
       "damaged.json: this is not JSON"},
      {{"gate", "--old", old, "--new", fresh, "--archive", sandbox.path("B")}, 2, "B"},
      {{"gate", "--old", fresh, "--new", old, "--archive", archive, "--today", "2025-06-01"},
       2,
       "did you swap --old and --new?"},
      // Nothing was compared, but the result was "allowed".
      {{"gate", "--old", old, "--new", old, "--archive", archive}, 2, "no change to judge"},
      {{"gate", "--old", old, "--new", fresh, "--archive", archive, "--today", "yesterday"},
       2,
       "--today"},
      {{"gate", "--old", old, "--new", fresh, "--archive", archive, "--waivers", old},
       3,
       "vintage gate waivers"},
      {{"gate", "--history", old, "--archive", archive}, 3, "old.json"},
      {{"gate", "--facts", sandbox.path("."), "--measure"}, 2, "--measure needs the --archive"},
      {{"gate", "--versions", old, "--archive", archive}, 3, "old.json: calling_conventions"},
      {{"gate", "--versions", old, "--old", old, "--new", fresh, "--archive", archive},
       2,
       "--versions"},
  };
  for (const Case& wrong : cases) {
    const Finished done = sandbox.run(wrong.arguments);
    EXPECT_EQ(done.status, wrong.status) << wrong.message << "\n" << done.err;
    EXPECT_THAT(done.err, HasSubstr(wrong.message));
  }
}

TEST_F(GateCommand, ItsHelpNamesTheStatuses) {
  const Finished done = sandbox.run({"gate", "--help"});
  EXPECT_EQ(done.status, 0);
  EXPECT_THAT(done.out, HasSubstr("5 needs review"));
}

}  // namespace
}  // namespace vintage::tests

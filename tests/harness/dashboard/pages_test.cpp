// The pages of data, for a small archive whose every outcome is known.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/records/runtime_description.h"
#include "harness/dashboard/pages.h"
#include "reports/run_notes.h"
#include "reports/speed_report.h"
#include "tests/harness/dashboard/small_archive.h"

namespace vintage::tests::dashboard {
using namespace archive;
using namespace harness;

namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class PagesTest : public SmallArchiveTest {
 protected:
  json page(std::string_view name, const PageParameters& parameters = {}) {
    return must(findPageKind(name)->make(context(), parameters));
  }
};

TEST_F(PagesTest, TheOverviewNamesWhatThePagesAreDividedBy) {
  const json overview = page("overview");
  EXPECT_EQ(overview["archive"], "archive");
  EXPECT_EQ(overview["today"], "2026-11-23");
  EXPECT_EQ(overview["policy"]["backward_days"], 180);
  EXPECT_EQ(overview["policy"]["forward_days"], 21);
  EXPECT_EQ(overview["primitives"], json({"add", "svd"}));
  ASSERT_EQ(overview["builds"].size(), 3u);  // By date.
  EXPECT_EQ(overview["builds"][0]["name"], "early");
  EXPECT_EQ(overview["builds"][0]["product"], "early");
  EXPECT_EQ(overview["builds"][0]["outcomes"], 2);
  EXPECT_EQ(overview["builds"][2]["outcomes"], 0);
  EXPECT_EQ(overview["producers"][0]["artifacts"], 2);
  // A run that was started and not finished shows nothing yet.
  ASSERT_EQ(overview["runs"].size(), 1u);
  EXPECT_EQ(overview["runs"][0]["id"], "run 1");
}

TEST_F(PagesTest, TheSummaryAnswersForTheNewestFinishedRun) {
  json summary = page("summary");
  EXPECT_EQ(summary["run"]["id"], "run 1");
  EXPECT_EQ(summary["run"]["verdict"], "holds");
  EXPECT_EQ(summary["run"]["outcomes"], 3);
  EXPECT_TRUE(summary["changes"].is_null());
  EXPECT_TRUE(summary["promises"].empty());   // A version before this one recorded the run.
  ASSERT_EQ(summary["failures"].size(), 1u);  // The other one is declared.
  EXPECT_EQ(summary["failures"][0]["primitive"], "svd");
  EXPECT_EQ(summary["failures"][0]["build"], "early");
  EXPECT_EQ(summary["failures"][0]["is_new"], true);
  EXPECT_LT(summary["failures"][0]["message"].get<std::string>().size(), 400u);

  runOfOutcomes_ = "run 2";
  record(svd_, "early", OutcomeKind::kError, Stage::kCompile, "still not registered");
  record(add_, "early", OutcomeKind::kMismatch, Stage::kCompare, "1 element differs");
  RunNotes notes;
  notes.reasons = {"2 of 2 pairs fail", "missing: everything else"};
  notes.promises = {{"backward", Verdict::kBroken, {}}};
  notes.promises[0].tally[Cell::kFail] = 2;
  must(archive_->finishRun("run 2", reports::runNotesJson(notes), "broken"));
  summary = page("summary");
  EXPECT_EQ(summary["run"]["id"], "run 2");
  EXPECT_EQ(summary["reasons"], json({"2 of 2 pairs fail", "missing: everything else"}));
  EXPECT_EQ(summary["promises"][0], json::parse(R"({"promise": "backward", "verdict": "broken",
                                                   "cells": {"fail": 2}})"));
  EXPECT_EQ(summary["changes"]["broken"], 1);
  EXPECT_EQ(summary["changes"]["in_both"], 2);
  EXPECT_EQ(summary["changes"]["builds_only_before"], json({"late"}));
  EXPECT_EQ(summary["changes"]["changes"][0]["name"], "add_f32");
  ASSERT_EQ(summary["failures"].size(), 2u);
  EXPECT_EQ(summary["failures"][1]["primitive"], "svd");
  EXPECT_EQ(summary["failures"][1]["is_new"], false);
  EXPECT_EQ(summary["failures"][1]["since"], "run 1");
}

// The first page said "holds" for the night, although a replay after it was broken.
TEST_F(PagesTest, TheSummaryNamesALaterRunThatDoesNotHold) {
  const auto finished = [&](const char* id, const char* kind, const char* verdict) {
    RunRecord run;
    run.id = run.started = id;
    run.kind = kind;
    must(archive_->putRun(run).map([](const std::string&) {}));
    must(archive_->finishRun(id, "", verdict));
  };
  finished("run 3", "replay", "broken");
  finished("run 4", "nightly", "holds");
  EXPECT_TRUE(page("summary")["later_failure"].is_null());
  finished("run 5", "replay", "cannot tell");
  finished("run 6", "replay", "holds");
  const json summary = page("summary");
  EXPECT_EQ(summary["run"]["id"], "run 4");
  EXPECT_EQ(summary["later_failure"]["id"], "run 5");
  EXPECT_EQ(summary["later_failure"]["verdict"], "cannot tell");
}

TEST_F(PagesTest, AColumnCountsByPrimitivePlatformAndMode) {
  EXPECT_EQ(page("column", {{"build", "early"}}),
            json::parse(R"({"build": "early", "cells": [["add", "cpu", "graph", 1, 0, 0, 0, 0],
                                                        ["svd", "cpu", "graph", 0, 0, 0, 1, 0]]})"));
  EXPECT_EQ(page("matrix", {{"build", "early"}}), json::parse(R"({"build": "early",
                            "cells": [["producer 0", "cpu", "graph", 1, 0, 0, 1, 0]]})"));
  EXPECT_EQ(page("column", {{"build", "late"}})["cells"][0],
            json::parse(R"(["add", "cpu", "graph", 0, 1, 0, 0, 0])"));
}

// The pages knew five outcomes of a pair. The sixth, "compiled" without running, was counted behind
// the end of a row, and headed the lists of failures.
TEST_F(PagesTest, WhatWasOnlyCompiledIsCountedAsThat) {
  record(add_, "unused", OutcomeKind::kCompiled, Stage::kCompile, "compiled in 0.1 s");
  record(svd_, "unused", OutcomeKind::kError, Stage::kCompile, "not implemented");
  EXPECT_EQ(page("column", {{"build", "unused"}})["cells"],
            json::parse(R"([["add", "cpu", "graph", 0, 0, 0, 0, 0, 1],
                            ["svd", "cpu", "graph", 0, 0, 0, 1, 0]])"));
  const json pairs = page("pairs", {{"build", "unused"}, {"producer", "producer 0"}})["pairs"];
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0]["cell"], "fail");
  EXPECT_EQ(pairs[1]["cell"], "compiled");
  const int64_t failed = page("health")["outcomes"]["failed"];
  EXPECT_EQ(failed, 3);  // Of five: two errors, and one that is unsupported.
}

// Pairs that differ where they may, and pairs that are not comparable, were counted as passed and
// as compiled.
TEST_F(PagesTest, WhatDiffersWhereItMayOrIsNotComparableIsCountedAsThat) {
  record(add_, "unused", OutcomeKind::kPass, Stage::kCompare, "differs where it may: output 0");
  record(svd_, "unused", OutcomeKind::kNotComparable, Stage::kCompare, "1 of 1 elements");
  EXPECT_EQ(page("column", {{"build", "unused"}})["cells"],
            json::parse(R"([["add", "cpu", "graph", 0, 0, 0, 0, 0, 0, 0, 1],
                            ["svd", "cpu", "graph", 0, 0, 0, 0, 0, 0, 1]])"));
  const json pairs = page("pairs", {{"build", "unused"}, {"producer", "producer 0"}})["pairs"];
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0]["cell"], "differs where it may");
  EXPECT_EQ(pairs[1]["cell"], "not comparable");
}

TEST_F(PagesTest, PairsCarryTheirMessageCut) {
  const json pairs = page("pairs", {{"build", "early"}, {"primitive", "svd"}});
  EXPECT_EQ(pairs["total"], 1);
  EXPECT_TRUE(pairs["next"].is_null());
  const json& pair = pairs["pairs"][0];
  EXPECT_EQ(pair["name"], "svd_f32");
  EXPECT_EQ(pair["cell"], "fail");
  EXPECT_EQ(pair["outcome"], "error");
  EXPECT_EQ(pair["stage"], "compile");
  EXPECT_THAT(pair["message"].get<std::string>(), HasSubstr("<img src=x>"));
  EXPECT_LT(pair["message"].get<std::string>().size(), 400u);
  EXPECT_EQ(page("pairs", {{"build", "early"}, {"producer", "producer 0"}})["total"], 2);
  EXPECT_EQ(page("pairs", {{"build", "early"}, {"primitive", "svd"}, {"mode", "eager"}})["total"],
            0);
}

TEST_F(PagesTest, WrongParametersAreNamed) {
  const auto refused = [&](std::string_view name, const PageParameters& parameters) {
    return refusal(findPageKind(name)->make(context(), parameters));
  };
  EXPECT_EQ(refused("column", {}), Error::Kind::kUsage);
  EXPECT_EQ(refused("column", {{"build", "nobody's"}}), Error::Kind::kNotFound);
  EXPECT_EQ(refused("pairs", {{"build", "early"}}), Error::Kind::kUsage);
  EXPECT_EQ(refused("pairs", {{"build", "early"}, {"primitive", ""}, {"producer", ""}}),
            Error::Kind::kUsage);
  EXPECT_EQ(refused("pairs", {{"build", "early"}, {"primitive", "add"}, {"after", "-1"}}),
            Error::Kind::kUsage);
  EXPECT_EQ(refused("pair", {{"artifact", std::string(64, '0')}, {"build", "early"}}),
            Error::Kind::kNotFound);
  // A prefix might fit another artifact tomorrow.
  EXPECT_EQ(refused("pair", {{"artifact", svd_.substr(0, 12)}, {"build", "early"}}),
            Error::Kind::kNotFound);
  EXPECT_EQ(refused("accuracy", {{"run", "never"}}), Error::Kind::kNotFound);
  EXPECT_EQ(findPageKind("index.html"), nullptr);
}

TEST_F(PagesTest, APairSaysWhatHappenedThereAndElsewhereAndHowToSeeItAgain) {
  const json pair = page(
      "pair", {{"artifact", svd_}, {"build", "early"}, {"platform", "cpu"}, {"mode", "graph"}});
  EXPECT_EQ(pair["record"]["name"], "svd_f32");
  ASSERT_EQ(pair["history"].size(), 1u);
  EXPECT_THAT(pair["history"][0]["message"].get<std::string>(), HasSubstr("not registered"));
  ASSERT_EQ(pair["elsewhere"].size(), 1u);
  EXPECT_EQ(pair["elsewhere"][0]["build"], "early");
  EXPECT_EQ(pair["commands"][0]["text"],
            fmt::format("vintage replay --archive 'my archive' --id {} --platform cpu --mode graph "
                        "--build early",
                        svd_.substr(0, 12)));
}

// A build may have any name, and users copy the command.
TEST_F(PagesTest, CommandsQuoteWhatAShellWouldRead) {
  EXPECT_EQ(shellWord("jax-0.4.30"), "jax-0.4.30");
  EXPECT_EQ(shellWord("jax 0.4.30"), "'jax 0.4.30'");
  EXPECT_EQ(shellWord(""), "''");
  EXPECT_EQ(shellWord("x'; rm -rf $HOME #"), "'x'\\''; rm -rf $HOME #'");
}

TEST_F(PagesTest, ACutNeverSplitsACharacter) {
  EXPECT_EQ(cutText("abc", 3), "abc");
  EXPECT_EQ(cutText("abcd", 3), "abc…");
  EXPECT_EQ(cutText("aäö", 2), "a…");  // ä has two bytes.
  EXPECT_EQ(cutText("aäö", 3), "aä…");
}

TEST_F(PagesTest, ATextThatCannotBeReadSaysWhy) {
  EXPECT_EQ(page("text", {{"artifact", add_}})["text"], "text of add_f32");
  const json unreadable = page("text", {{"artifact", svd_}});
  EXPECT_EQ(unreadable["text"], "");
  EXPECT_EQ(unreadable["problem"], "svd_f32: nobody can read it");
}

TEST_F(PagesTest, AccuracyIsWhatTheRunsReportHolds) {
  const json accuracy = page("accuracy", {{"run", "run 1"}});
  EXPECT_EQ(accuracy["rows"], json::parse(R"([{"primitive": "add", "largest_ulps": 3}])"));
  EXPECT_EQ(page("accuracy", {{"run", "run 2"}})["rows"], json::array());
}

TEST_F(PagesTest, TargetsLiveFromReleaseToRelease) {
  for (const auto& [name, date, targets] :
       {std::tuple{"early", 0, std::set<std::string>{"a", "b"}}, {"late", 10, {"b"}}}) {
    RuntimeDescription runtime;
    runtime.name = name;
    runtime.buildDate = day(date);
    runtime.registries = {"cpu"};
    for (const std::string& target : targets) {
      RegisteredTarget registered;
      registered.name = target;
      registered.platform = "cpu";
      runtime.targets.push_back(registered);
    }
    BuildRecord build = sampleBuild(name, date);
    build.details.runtime = runtime;
    must(archive_->putBuild(build));
  }
  const json targets = page("targets");
  ASSERT_EQ(targets["releases"].size(), 2u);
  ASSERT_EQ(targets["targets"].size(), 2u);
  EXPECT_EQ(targets["targets"][0]["name"], "a");
  EXPECT_EQ(targets["targets"][0]["registered"]["last"]["release"], "early");
  EXPECT_EQ(targets["targets"][0]["registered"]["ended"], true);
  EXPECT_EQ(targets["targets"][1]["registered"]["ended"], false);
}

TEST_F(PagesTest, HealthNamesWhatIsAmiss) {
  const json health = page("health");
  EXPECT_EQ(health["artifacts"]["count"], 2);
  EXPECT_EQ(health["outcomes"]["count"], 3);
  EXPECT_EQ(health["outcomes"]["failed"], 2);
  EXPECT_EQ(health["runs"]["unfinished"], 1);
  EXPECT_EQ(health["fsck_command"], "vintage fsck --archive 'my archive' --read-data");
  std::vector<std::string> findings;
  for (const json& finding : health["findings"]) findings.push_back(finding["text"]);
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("1 run has no end")));
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("2 artifacts have no golden")));
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("1 build has no outcome")));
  ASSERT_EQ(health["last_runs"].size(), 2u);
  EXPECT_EQ(health["last_runs"][0]["verdict"], "");
  EXPECT_EQ(health["last_runs"][1]["verdict"], "holds");
}

// Two runs measured the same two builds, the second one of them an artifact again.
TEST_F(PagesTest, SpeedIsThatOfTheNewestMeasurements) {
  const auto measure = [this](const std::string& id, const std::string& name, double after) {
    BuildComparison comparison;
    comparison.before = "early";
    comparison.after = "late";
    comparison.artifacts.resize(1);
    MeasuredArtifact& artifact = comparison.artifacts.front();
    artifact.artifact = artifact.name = name;
    artifact.platform = "cpu";
    artifact.mode = "compiled";
    artifact.quantities = {{Quantity::kRun, 0.5, after, {2 * after, 2 * after, 2 * after, 12}}};
    RunRecord run;
    run.id = id;
    run.kind = "speed";
    must(archive_->putRun(run).map([](const std::string&) {}));
    must(archive_->finishRun(id, reports::comparisonJson(comparison).dump()));
  };
  measure("run 3", "loop", 4);
  measure("run 4", "loop", 2);
  measure("run 5", "product", 0.125);
  ASSERT_EQ(page("speed")["pairs"].size(), 1u);
  const json pair = page("speed")["pairs"][0];
  EXPECT_EQ(pair["build"], "late");
  EXPECT_EQ(pair["beside"], "early");
  const json compared = page("speed-pair", {{"build", "late"}, {"beside", "early"}});
  ASSERT_EQ(compared["rows"].size(), 2u);
  EXPECT_EQ(compared["rows"][0]["run"], json({0.5, 2.0, 4.0, 4.0, 4.0, 12}));
  ASSERT_EQ(compared["more"].size(), 1u);
  EXPECT_EQ(compared["more"][0]["class"], "slower");
  EXPECT_EQ(compared["more"][0]["function"], "loop");
  EXPECT_THAT(compared["more"][0]["command"].get<std::string>(), HasSubstr("vintage run loop"));
  ASSERT_EQ(compared["less"].size(), 1u);
  EXPECT_EQ(compared["less"][0]["measured"][3], 4.0);  // As many times faster.
  const auto missing =
      findPageKind("speed-pair")->make(context(), {{"build", "late"}, {"beside", "late"}});
  EXPECT_EQ(refusal(missing), Error::Kind::kNotFound);
}

}  // namespace
}  // namespace vintage::tests::dashboard

// The history of a small archive, whose outcomes are written by hand.

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/tensor.h"
#include "harness/judge/history/history.h"

namespace vintage::tests::history {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

class MeasuredHistory : public testing::Test {
 protected:
  MeasuredHistory() {
    std::string pattern = (fs::temp_directory_path() / "vintage_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    archive_ = *Archive::open((folder_ / "A").string(), Archive::Mode::kCreate);
  }
  ~MeasuredHistory() override {
    archive_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void release(const std::string& version, const std::string& day,
               const std::string& condition = "warm") {
    BuildRecord build;
    build.name = "jax-" + version + (condition == "warm" ? "" : "-" + condition);
    build.version = version;
    build.buildDate = *parseDate(day);
    build.platforms = {"cpu"};
    build.modes = {"compiled"};
    build.kind = "command";
    BuildDetails& details = build.details;
    details.said =
        SaidOfItself{"jax " + version + (condition == "warm" ? "" : " " + condition), day};
    details.environment = PythonEnvironment{};
    details.environment->condition = condition;
    details.environment->produces = "exported";
    ASSERT_TRUE(archive_->putBuild(build));
  }

  ArtifactRecord artifact(const std::string& version, const std::string& day,
                          const std::string& primitive) {
    ArtifactRecord record;
    record.name = primitive + "/cpu";
    record.producer = "jax " + version;
    record.buildDate = *parseDate(day);
    record.primitive = primitive;
    record.platforms = {"cpu"};
    const std::string text = version + primitive;
    Golden golden;
    golden.oracle = "test";
    auto id = archive_->put(record, std::as_bytes(std::span(text)), &golden);
    EXPECT_TRUE(id) << id.error().message;
    return *archive_->find(*id);
  }

  void outcome(const ArtifactRecord& record, const std::string& build, OutcomeKind kind,
               const std::string& detail = "") {
    OutcomeRecord outcome;
    outcome.artifact = record.id;
    outcome.golden = record.golden;
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = "compiled";
    outcome.run = "r1";
    outcome.outcome = kind;
    outcome.detail = detail;
    const Status status = archive_->putOutcomes(std::span(&outcome, 1));
    ASSERT_TRUE(status) << status.error().message;
  }

  History measure() {
    auto history = measureHistory(*archive_, jaxPolicy(), *parseDate("2026-01-01"));
    EXPECT_TRUE(history) << history.error().message;
    return *history;
  }

  fs::path folder_;
  std::optional<Archive> archive_;
};

// Both counted as passed, and a pair that nobody can judge was a break of the promise.
TEST_F(MeasuredHistory, WhatDiffersWhereItMayOrIsNotComparableIsNoPassAndNoBreak) {
  release("0.5.0", "2025-01-01");
  release("0.6.0", "2025-04-11");
  const auto add = artifact("0.5.0", "2025-01-01", "add");
  const auto rng = artifact("0.5.0", "2025-01-01", "rng");
  outcome(rng, "jax-0.6.0", OutcomeKind::kPass, "differs where it may: output 0[1]");
  outcome(add, "jax-0.6.0", OutcomeKind::kNotComparable, "1 of 1 elements");
  const History history = measure();
  const PairOutcomes& pair = history.pairs.at({0, 1, false});
  EXPECT_EQ(pair.passed, 0);
  EXPECT_EQ(pair.differ, 1);
  EXPECT_EQ(pair.notComparable, 1);
  EXPECT_EQ(pair.ran(), 2);
  EXPECT_TRUE(history.breaks.empty());
}

TEST_F(MeasuredHistory, PairsReachAndBreaksAreCountedByRelease) {
  release("0.5.0", "2025-01-01");
  release("0.6.0", "2025-04-11");  // 100 days later.
  release("0.8.0", "2025-12-01");  // 334 days: beyond the promise.
  const auto add = artifact("0.5.0", "2025-01-01", "add");
  const auto eigh = artifact("0.5.0", "2025-01-01", "eigh");
  for (const char* build : {"jax-0.5.0", "jax-0.6.0", "jax-0.8.0"})
    outcome(add, build, OutcomeKind::kPass);
  outcome(eigh, "jax-0.5.0", OutcomeKind::kPass);
  outcome(eigh, "jax-0.6.0", OutcomeKind::kError, "no handler");
  outcome(eigh, "jax-0.8.0", OutcomeKind::kUnsupported, "expired");

  const History history = measure();
  ASSERT_EQ(history.releases.size(), 3u);
  EXPECT_EQ(history.releases[0].artifacts, 2);
  EXPECT_EQ(history.executions, 6);
  const PairOutcomes& pair = history.pairs.at({0, 1, false});
  EXPECT_EQ(pair.passed, 1);
  EXPECT_EQ(pair.failed.at(OutcomeKind::kError), 1);
  EXPECT_EQ(history.pairs.at({0, 2, false}).refused, 1);
  // The refusal is outside of the promise, and no break.
  ASSERT_EQ(history.breaks.size(), 1u);
  EXPECT_EQ(history.breaks.front().message, "no handler");
  EXPECT_EQ(history.breaks.front().leastDays, 100);
  ASSERT_EQ(history.reach.size(), 2u);
  EXPECT_EQ(history.reach[0].name, "add");
  EXPECT_EQ(history.reach[0].backward.allPass(), 334);
  EXPECT_FALSE(history.reach[1].backward.allPass());

  const auto pages = historyPages(history, {"vintage history", "all"});
  EXPECT_THAT(pages.at("matrix.md"),
              HasSubstr("| 0.5.0 | **2** on 0.5.0; **1/2** on 0.6.0; 1/2r on 0.8.0 |\n"));
  EXPECT_THAT(pages.at("breaks.md"), HasSubstr("Message: `no handler`"));
  EXPECT_THAT(pages.at("breaks.md"), HasSubstr("--build jax-0.6.0 --mode compiled"));
  EXPECT_THAT(pages.at("reach.md"), HasSubstr("| 334 | 334 | - | - | add |"));
}

// Pages of a run that was interrupted read as if everything of the sample had run.
TEST_F(MeasuredHistory, WhatHasNotRunYetIsSaid) {
  release("0.5.0", "2025-01-01");
  release("0.6.0", "2025-04-11");
  release("0.8.0", "2025-12-01");  // Beyond the promise.
  const auto add = artifact("0.5.0", "2025-01-01", "add");
  outcome(add, "jax-0.5.0", OutcomeKind::kPass);
  const auto readme = [&] {
    return historyPages(measure(), {"vintage history", "all"}).at("README.md");
  };
  EXPECT_THAT(readme(), HasSubstr("nothing ran yet of 1 of 1 beyond them, warm; 1 of 2 inside the "
                                  "promises, warm."));
  for (const char* build : {"jax-0.6.0", "jax-0.8.0"}) outcome(add, build, OutcomeKind::kPass);
  EXPECT_THAT(readme(), Not(HasSubstr("Not finished")));
}

TEST_F(MeasuredHistory, WhatFailsOnItsOwnReleaseIsNoBreakOfCompatibility) {
  release("0.5.0", "2025-01-01");
  release("0.6.0", "2025-04-11");
  const auto odd = artifact("0.5.0", "2025-01-01", "odd");
  outcome(odd, "jax-0.5.0", OutcomeKind::kMismatch, "other values");
  outcome(odd, "jax-0.6.0", OutcomeKind::kMismatch, "other values");
  const History history = measure();
  EXPECT_TRUE(history.breaks.empty());
  ASSERT_EQ(history.failsAtHome.size(), 1u);
  EXPECT_EQ(history.failsAtHome.front().name, "odd/cpu");
  EXPECT_TRUE(history.reach.empty());
}

// Bug: a release whose fresh processes crash on what it exports itself, as 0.4.30 does on LAPACK's
// functions, had no break where its neighbours did not run the artifact.
TEST_F(MeasuredHistory, WhatOnlyAFreshProcessOfTheOwnReleaseFailsIsABreak) {
  release("0.4.30", "2024-06-18");
  release("0.4.30", "2024-06-18", "fresh");
  const auto cholesky = artifact("0.4.30", "2024-06-18", "cholesky");
  outcome(cholesky, "jax-0.4.30", OutcomeKind::kPass);
  outcome(cholesky, "jax-0.4.30-fresh", OutcomeKind::kCrash, "the worker ended by signal 11");
  const History history = measure();
  EXPECT_TRUE(history.failsAtHome.empty());
  ASSERT_EQ(history.breaks.size(), 1u);
  EXPECT_EQ(history.breaks.front().leastDays, 0);
}

TEST_F(MeasuredHistory, OnlyReleasesThatExportAreInIt) {
  release("0.5.0", "2025-01-01");
  BuildRecord engine;
  engine.name = "vintage-engine 2025-06-01";
  engine.buildDate = *parseDate("2025-06-01");
  ASSERT_TRUE(archive_->putBuild(engine));
  const auto add = artifact("0.5.0", "2025-01-01", "add");
  outcome(add, engine.name, OutcomeKind::kPass);
  const History history = measure();
  EXPECT_EQ(history.releases.size(), 1u);
  EXPECT_EQ(history.executions, 0);
  EXPECT_THAT(historyPages(history, {"vintage history", "all"}).at("README.md"),
              Not(HasSubstr("engine")));
}

}  // namespace
}  // namespace vintage::tests::history

// A window's report of a few pairs: limitations, promises, the named pair, and the verdict.
#include <gmock/gmock.h>

#include "harness/judge/window/merge_archives.h"
#include "harness/judge/window/run_window.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/runtimes/builds/builds.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

class JudgedWindow : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("a"), Archive::Mode::kCreate)));
    choice_.policy = jaxPolicy();
    choice_.policy.defaultBumpDays.reset();
    choice_.today = day(400);
  }
  // Those of one kind "engine" are one program.
  void build(const std::string& name, int number) {
    BuildRecord build = sampleBuild(name, number);
    build.kind = "engine";
    build.details.program = "one";
    build.start.emplace().worker = {"/bin/sh"};
    must(registerBuild(*archive_, build));
  }
  // An artifact, and what came of it on `build`.
  void put(const std::string& name, const std::string& primitive, int number,
           const std::string& build,
           const std::vector<std::pair<const char*, OutcomeKind>>& modes) {
    ArtifactRecord record = sampleRecord(name, number);
    record.primitive = primitive;
    if (savedModel_) record.format = ArtifactRecord::Format::kSavedModel;
    const Golden golden = sampleGolden(1);
    must(archive_->put(record, content(std::hash<std::string>()(name), 80), &golden));
    for (const auto& [mode, kind] : modes) {
      OutcomeRecord outcome;
      outcome.artifact = must(archive_->find(name)).id;
      outcome.golden = must(archive_->find(name)).golden;
      outcome.build = build;
      outcome.platform = "cpu";
      outcome.mode = mode;
      outcome.run = "run";
      outcome.outcome = kind;
      must(archive_->putOutcomes(std::span(&outcome, 1)));
    }
  }
  WindowReport judged(const std::vector<Limitation>& limitations = {}) {
    int left = 0;
    const auto consumers =
        groupConsumers(must(registeredBuilds(*archive_)), choice_.today, {}, false, left);
    return must(judgeWindow(choice_, "A", *archive_, consumers, limitations));
  }

  // Sets the formats that the worker of a known build reads.
  void reads(const std::string& name, const std::vector<std::string>& formats) {
    BuildRecord build = must(archive_->builds()).front();
    for (const BuildRecord& one : must(archive_->builds()))
      if (one.name == name) build = one;
    build.details.formats = formats;
    must(archive_->putBuild(build));
  }

  bool savedModel_ = false;  // The format of what put() archives from here on.
  std::optional<Archive> archive_;
  WindowChoice choice_;
};

// A saved model that no build reads was counted among artifacts that are read, and the promise
// held.
TEST_F(JudgedWindow, ASavedModelIsJudgedOnBuildsThatReadOneAndMissingWhereNoneDoes) {
  build("build", 20);
  put("exported", "add", 10, "build", {{"graph", OutcomeKind::kPass}});
  savedModel_ = true;
  put("model", "tf.matmul", 10, "build", {{"graph", OutcomeKind::kPass}});
  choice_.modes = {"graph", "eager"};
  PromiseReport backward = judged().promises[0];
  EXPECT_EQ(backward.tally.total(), 2);  // Of the other one: graph and eager.
  ASSERT_EQ(backward.notComparable.size(), 1u);
  EXPECT_THAT(backward.notComparable.begin()->first, testing::HasSubstr("no consumer that reads"));
  EXPECT_EQ(backward.notComparable.begin()->second, 2);  // In both modes.

  reads("build", {"exported", "saved model"});
  backward = judged().promises[0];
  EXPECT_EQ(backward.tally.total(), 4);
  EXPECT_TRUE(backward.notComparable.empty());
}

// A build that a laboratory reported and nobody can start here made the owner's promise "cannot
// tell"; its results stand apart.
TEST_F(JudgedWindow, AReportersBuildAndResultsStandApart) {
  build("build", 20);
  put("right", "add", 10, "build", {{"graph", OutcomeKind::kPass}});
  archive_->actAs("token lab", false, "lab");
  must(archive_->putBuild(sampleBuild("their build", 21)));
  OutcomeRecord theirs = must(archive_->outcomes({})).front();
  theirs.run = "their run";
  theirs.outcome = OutcomeKind::kMismatch;
  for (const char* name : {"build", "their build"}) {
    theirs.build = name;
    must(archive_->putOutcomes(std::span(&theirs, 1)));
  }
  archive_->actAs("", true);

  WindowOptions options;
  options.choice = choice_;
  options.run = false;
  auto host = makePosixProcessHost();
  const auto own = must(runWindow(options, *archive_, *host, nullptr));
  EXPECT_EQ(own.promises[0].tally[Cell::kPass], 1);
  EXPECT_EQ(own.promises[0].tally.total(), 1);
  EXPECT_EQ(own.promises[0].verdict(), Verdict::kHolds);

  options.choice.runs = {"their run"};
  options.consumers = {"their build"};
  const auto reported = must(runWindow(options, *archive_, *host, nullptr));
  EXPECT_EQ(reported.promises[0].tally[Cell::kFail], 1);
  EXPECT_EQ(reported.promises[0].tally.total(), 1);
  EXPECT_EQ(reported.promises[0].verdict(), Verdict::kBroken);
}

// A pair that is not comparable counted as compiled, and no report named it.
TEST_F(JudgedWindow, APairThatIsNotComparableIsNamedAndNeitherPassesNorFails) {
  build("build", 20);
  put("right", "add", 10, "build", {{"graph", OutcomeKind::kPass}});
  put("noisy", "add", 11, "build", {{"graph", OutcomeKind::kNotComparable}});
  const WindowReport report = judged();
  const PromiseReport& backward = report.promises[0];
  EXPECT_EQ(backward.tally[Cell::kPass], 1);
  EXPECT_EQ(backward.tally[Cell::kNotComparable], 1);
  EXPECT_TRUE(backward.broken.empty());
  ASSERT_EQ(backward.undecided.size(), 1u);
  EXPECT_EQ(backward.undecided[0].artifact->name, "noisy");
  EXPECT_EQ(backward.verdict(), Verdict::kHolds);
  const Measured& add = report.measured.at({"primitive", "add", "cpu"});
  EXPECT_EQ(cellsText(add.tally), "1 pass, 1 not comparable");
}

TEST_F(JudgedWindow, APolicyCanBeAboutSavedModels) {
  build("build", 20);
  reads("build", {"exported", "saved model"});
  put("exported", "add", 10, "build", {{"graph", OutcomeKind::kMismatch}});
  savedModel_ = true;
  put("model", "tf.matmul", 30, "build", {{"graph", OutcomeKind::kPass}});
  choice_.policy = must(parsePolicy(R"({"format": "vintage window policy", "version": 1,
      "name": "ours", "promises": [{"name": "back", "direction": "forward", "days": 365,
      "formats": ["saved model"]}]})",
                                    "policy"));
  const WindowReport report = judged();
  EXPECT_EQ(report.promises[0].tally.total(), 1);
  EXPECT_EQ(report.promises[0].tally[Cell::kPass], 1);
  EXPECT_EQ(report.verdict(), Verdict::kHolds);
}

TEST_F(JudgedWindow, WhatIsDeclaredOfAConsumerFailsAsDeclared) {
  build("build", 20);
  put("wrong", "add", 10, "build", {{"graph", OutcomeKind::kMismatch}});
  EXPECT_EQ(judged().promises[0].tally[Cell::kFail], 1);
  Limitation limitation;
  limitation.id = "add-wrong";
  limitation.primitive = "add";
  limitation.description = "it adds wrongly";
  limitation.since = "2020-01-01";
  limitation.failureClass = FailureClass::kWrongValue;
  limitation.consumers = {"another build"};
  ASSERT_TRUE(declareLimitations(*archive_, {&limitation, 1}));
  EXPECT_EQ(judged().promises[0].tally[Cell::kFail], 1);
  limitation.consumers = {"build"};
  ASSERT_TRUE(declareLimitations(*archive_, {&limitation, 1}));
  const PromiseReport backward = judged().promises[0];
  EXPECT_EQ(backward.tally[Cell::kFail], 0);
  EXPECT_EQ(backward.tally[Cell::kExpectedFailure], 1);
}

// A declaration for one mode, one content or one kind of failure excused others too.
TEST_F(JudgedWindow, ALimitationExcusesWhatItDeclaresAndNothingElse) {
  build("build", 20);
  const auto wrong = OutcomeKind::kMismatch, crash = OutcomeKind::kCrash;
  put("limited", "population_count", 10, "build", {{"graph", wrong}, {"eager", wrong}});
  put("dying", "population_count", 11, "build", {{"graph", crash}, {"eager", crash}});
  put("free", "add", 12, "build", {{"graph", wrong}, {"eager", wrong}});
  Limitation limitation;
  limitation.id = "population-count-i4-cpu";
  limitation.failures = {FailureKind::kWrongValue};
  limitation.primitive = "population_count";
  limitation.modes = {"graph"};
  choice_.modes = {"graph", "eager"};
  const PromiseReport backward = judged({limitation}).promises[0];
  EXPECT_EQ(backward.tally.total(), 6);
  EXPECT_EQ(backward.tally[Cell::kExpectedFailure], 1);
  EXPECT_EQ(backward.tally[Cell::kFail], 5);
}

// One program under two dates: the pair that is named for a broken promise was one that the
// promise does not cover.
TEST_F(JudgedWindow, ThePairThatIsNamedIsOneThatThePromiseCovers) {
  build("inside", 100);
  build("outside", 300);
  put("artifact", "add", 50, "outside", {{"graph", OutcomeKind::kMismatch}});
  const PromiseReport backward = judged().promises[0];
  ASSERT_EQ(backward.broken.size(), 1u);
  EXPECT_EQ(backward.broken[0].outcome.build, "inside");
  EXPECT_EQ(backward.tally.total(), 1);
}

TEST_F(JudgedWindow, APromiseThatIsOutOfScopeCountsNothing) {
  build("older", 40);
  put("artifact", "add", 50, "older", {{"graph", OutcomeKind::kMismatch}});
  EXPECT_EQ(judged().promises[1].tally[Cell::kFail], 1);
  choice_.scope.promises = {"backward"};
  EXPECT_EQ(judged().promises[1].tally.total(), 0);
}

// The same bytes were exported again after --today: that artifact is none of this window.
TEST_F(JudgedWindow, ATwinOfTomorrowIsNotCounted) {
  build("build", 20);
  const Golden golden = sampleGolden(1);
  for (const int number : {10, 15}) {
    ArtifactRecord record = sampleRecord("twin", number);
    must(archive_->put(record, content(1, 80), &golden));
  }
  choice_.today = day(30);
  EXPECT_EQ(judged().promises[0].tally.total(), 2);
  must(archive_->put(sampleRecord("of tomorrow", 31), content(1, 80), &golden));
  EXPECT_EQ(judged().artifacts, 2);
}

TEST_F(JudgedWindow, AMergeBringsEveryRunAlong) {
  build("build", 20);
  put("artifact", "add", 10, "build", {{"graph", OutcomeKind::kMismatch}});
  OutcomeRecord later = must(archive_->outcomes({}))[0];
  later.run = "run 2";
  later.outcome = OutcomeKind::kPass;
  must(archive_->putOutcomes(std::span(&later, 1)));
  Archive other = must(Archive::open(path("b"), Archive::Mode::kCreate));
  must(mergeArchive(*archive_, other));
  OutcomeFilter all;
  all.latestOnly = false;
  EXPECT_EQ(must(other.outcomes(all)).size(), 2u);
}

class VerdictOfWindow : public testing::Test {
 protected:
  VerdictOfWindow() {
    report_.parts = {0};
    PromiseReport& promise = report_.promises.emplace_back();
    promise.rule = jaxPolicy().promises[0];
    promise.tally[Cell::kPass] = 1;
    promise.places[{"cpu", "graph"}] = {.artifacts = 1, .covered = 1, .hasConsumer = true};
  }
  WindowReport report_;
};

TEST_F(VerdictOfWindow, AFailureOutweighsWhatIsUnknown) {
  EXPECT_EQ(report_.verdict(), Verdict::kHolds);
  PromiseReport& promise = report_.promises[0];
  promise.tally[Cell::kPass] = 0;
  promise.tally[Cell::kFail] = promise.tally[Cell::kUntested] = 1;
  EXPECT_EQ(report_.verdict(), Verdict::kBroken);
}

TEST_F(VerdictOfWindow, APartOfTheShardsCannotTell) {
  report_.shards = 2;
  EXPECT_EQ(report_.verdict(), Verdict::kCannotTell);
  report_.parts.insert(1);
  EXPECT_EQ(report_.verdict(), Verdict::kHolds);
}

TEST_F(VerdictOfWindow, ADefaultThatMovedTooEarlyBreaksIt) {
  report_.bumps.emplace_back().verdict = Verdict::kBroken;
  EXPECT_EQ(report_.verdict(), Verdict::kBroken);
  report_.scope.promises = {"backward"};
  EXPECT_EQ(report_.verdict(), Verdict::kHolds);
}

}  // namespace
}  // namespace vintage::tests

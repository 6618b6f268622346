// SQLite and a walk over the outcomes of two runs agree.
#include <map>
#include <random>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "archive/store/run_difference.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests {
using namespace archive;

namespace {

using ::testing::ElementsAre;

class RunDifferenceTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_.emplace(must(Archive::open(path("archive"), Archive::Mode::kCreate)));
    for (const char* build : {"engine 1", "engine 2"}) must(archive_->putBuild(sampleBuild(build)));
    for (int number = 0; number < 12; ++number) {
      ArtifactRecord record = sampleRecord(fmt::format("case {:02}", number));
      record.primitive = number % 3 == 0 ? "add" : "svd";
      artifacts_.push_back(must(archive_->put(record, content(number, 50), nullptr)));
    }
  }
  OutcomeRecord ran(int artifact, const std::string& build, const std::string& run,
                    OutcomeKind kind, const std::string& limitation = "",
                    const std::string& mode = "graph") {
    OutcomeRecord outcome;
    outcome.artifact = artifacts_[artifact];
    outcome.build = build;
    outcome.platform = "cpu";
    outcome.mode = mode;
    outcome.run = run;
    outcome.outcome = kind;
    outcome.limitation = limitation;
    outcome.detail = isSuccess(kind) ? "" : "it ended badly in " + run;
    must(archive_->putOutcomes(std::vector{outcome}));
    return outcome;
  }
  RunDifference difference(int64_t most = 100) {
    return must(compareOutcomesOf(*archive_, {"run 1", "engine 1"}, {"run 2", "engine 2"}, most));
  }

  std::optional<Archive> archive_;
  std::vector<ContentId> artifacts_;
};

TEST_F(RunDifferenceTest, NamesWhatBrokeAndWhatWasMended) {
  ran(0, "engine 1", "run 1", OutcomeKind::kPass);
  ran(0, "engine 2", "run 2", OutcomeKind::kMismatch);
  ran(1, "engine 1", "run 1", OutcomeKind::kCrash);
  ran(1, "engine 2", "run 2", OutcomeKind::kPass);
  ran(2, "engine 1", "run 1", OutcomeKind::kPass);
  ran(2, "engine 2", "run 2", OutcomeKind::kCompiled);
  ran(3, "engine 1", "run 1", OutcomeKind::kPass);
  ran(4, "engine 2", "run 2", OutcomeKind::kError);
  const RunDifference found = difference();
  EXPECT_EQ(found.both, 3);
  EXPECT_EQ(found.onlyBefore, 1);
  EXPECT_EQ(found.onlyAfter, 1);
  ASSERT_EQ(found.changes.size(), 2u);
  EXPECT_EQ(found.changes[0].name, "case 00");
  EXPECT_EQ(found.changes[0].before.outcome, OutcomeKind::kPass);
  EXPECT_EQ(found.changes[0].before.build, "engine 1");
  EXPECT_EQ(found.changes[0].after.detail, "it ended badly in run 2");
  EXPECT_EQ(found.changes[0].after.run, "run 2");
  EXPECT_EQ(found.changes[1].name, "case 01");
  EXPECT_EQ(found.changes[1].before.detail, "it ended badly in run 1");
  EXPECT_EQ(difference(1).changes.size(), 1u);
  EXPECT_EQ(difference(1).mended, 1);
}

// A failure that a limitation declares is no news, and its end is.
TEST_F(RunDifferenceTest, DeclaredFailuresDoNotBreak) {
  ran(0, "engine 1", "run 1", OutcomeKind::kPass);
  ran(0, "engine 2", "run 2", OutcomeKind::kError, "known");
  ran(1, "engine 1", "run 1", OutcomeKind::kError, "known");
  ran(1, "engine 2", "run 2", OutcomeKind::kPass);
  EXPECT_EQ(difference().broken, 0);
  EXPECT_EQ(difference().mended, 1);
}

// A pair whose values roundings decide was said to have broken, and to be mended by the next pass.
TEST_F(RunDifferenceTest, WhatIsNotComparableNeitherBreaksNorIsMended) {
  ran(0, "engine 1", "run 1", OutcomeKind::kPass);
  const auto last = ran(0, "engine 2", "run 2", OutcomeKind::kNotComparable);
  ran(1, "engine 1", "run 1", OutcomeKind::kNotComparable);
  ran(1, "engine 2", "run 2", OutcomeKind::kPass);
  EXPECT_EQ(difference().both, 2);
  EXPECT_TRUE(difference().changes.empty());
  EXPECT_EQ(difference().broken + difference().mended, 0);
  EXPECT_TRUE(must(failuresOfRun(*archive_, "run 2", 10)).empty());
  const auto failed = ran(0, "engine 2", "run 3", OutcomeKind::kError);
  EXPECT_EQ(must(failsSince(*archive_, failed, std::vector{last.build})), "run 3");
}

TEST_F(RunDifferenceTest, CountsAsAWalkOverRecordsDoes) {
  std::mt19937 random(7);
  constexpr OutcomeKind kKinds[] = {OutcomeKind::kPass,        OutcomeKind::kPass,
                                    OutcomeKind::kCompiled,    OutcomeKind::kMismatch,
                                    OutcomeKind::kRunnerError, OutcomeKind::kNotComparable};
  using Place = std::tuple<int, std::string>;
  std::map<Place, OutcomeRecord> before, after;
  for (int artifact = 0; artifact < 12; ++artifact)
    for (const char* mode : {"graph", "eager", "compiled"})
      for (const int run : {1, 2}) {
        if (random() % 4 == 0) continue;
        const std::string number = std::to_string(run);
        (run == 1 ? before : after)[{artifact, mode}] =
            ran(artifact, "engine " + number, "run " + number, kKinds[random() % std::size(kKinds)],
                random() % 3 == 0 ? "known" : "", mode);
      }
  RunDifference expected;
  for (const auto& [place, was] : before) {
    const auto is = after.find(place);
    if (is == after.end()) {
      ++expected.onlyBefore;
      continue;
    }
    ++expected.both;
    const OutcomeRecord& now = is->second;
    expected.broken += isSuccess(was.outcome) && isFailure(now.outcome) && now.limitation.empty();
    expected.mended += isFailure(was.outcome) && isSuccess(now.outcome);
  }
  expected.onlyAfter = static_cast<int64_t>(after.size()) - expected.both;
  const RunDifference found = difference();
  EXPECT_EQ(found.both, expected.both);
  EXPECT_EQ(found.onlyBefore, expected.onlyBefore);
  EXPECT_EQ(found.onlyAfter, expected.onlyAfter);
  EXPECT_EQ(found.broken, expected.broken);
  EXPECT_EQ(found.mended, expected.mended);
  EXPECT_GT(found.broken, 0);
  EXPECT_GT(found.mended, 0);
  EXPECT_EQ(static_cast<int64_t>(found.changes.size()), expected.broken + expected.mended);
}

TEST_F(RunDifferenceTest, FailuresAreGroupedByPrimitiveAndBuild) {
  ran(0, "engine 1", "run 1", OutcomeKind::kCrash);
  for (const int artifact : {2, 1, 4}) ran(artifact, "engine 1", "run 1", OutcomeKind::kError);
  ran(5, "engine 1", "run 1", OutcomeKind::kError, "known");
  ran(7, "engine 1", "run 1", OutcomeKind::kPass);
  const auto groups = must(failuresOfRun(*archive_, "run 1", 10));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].primitive, "svd");
  EXPECT_EQ(groups[0].failures, 3);
  EXPECT_EQ(groups[0].artifact, "case 01");
  EXPECT_EQ(groups[0].example.artifact, artifacts_[1]);
  EXPECT_EQ(groups[0].example.build, "engine 1");
  EXPECT_EQ(groups[1].primitive, "add");
  EXPECT_EQ(must(failuresOfRun(*archive_, "run 1", 1)).size(), 1u);
  EXPECT_THAT(must(buildsOfRun(*archive_, "run 1")), ElementsAre("engine 1"));
}

TEST_F(RunDifferenceTest, AFailureDatesFromTheFirstRunAfterTheLastSuccess) {
  const std::vector<std::string> both{"engine 1", "engine 2"};
  ran(0, "engine 1", "run 1", OutcomeKind::kError);
  ran(0, "engine 1", "run 2", OutcomeKind::kPass);
  ran(0, "engine 1", "run 3", OutcomeKind::kError);
  ran(0, "engine 2", "run 4", OutcomeKind::kMismatch);
  const auto last = ran(0, "engine 2", "run 5", OutcomeKind::kError);
  ran(0, "engine 2", "run 6", OutcomeKind::kPass);
  EXPECT_EQ(must(failsSince(*archive_, last, both)), "run 3");
  EXPECT_EQ(must(failsSince(*archive_, last, std::vector<std::string>{"engine 2"})), "run 4");
  const auto always = ran(1, "engine 1", "run 2", OutcomeKind::kError);
  EXPECT_EQ(must(failsSince(*archive_, always, both)), "run 2");
}

// The success of a bisect's probe, with limits of its own, hid since when a pair fails.
TEST_F(RunDifferenceTest, ProbesDoNotDateAFailure) {
  RunRecord probe;
  probe.id = "run 2";
  probe.kind = kProbingRun;
  must(archive_->putRun(probe).map([](const std::string&) {}));
  ran(0, "engine 1", "run 1", OutcomeKind::kError);
  ran(0, "engine 1", "run 2", OutcomeKind::kPass);
  const auto last = ran(0, "engine 1", "run 3", OutcomeKind::kError);
  EXPECT_EQ(must(failsSince(*archive_, last, std::vector<std::string>{"engine 1"})), "run 1");
}

TEST_F(RunDifferenceTest, AnUnknownBuildIsNamed) {
  const auto found = compareOutcomesOf(*archive_, {"run 1", "engine 1"}, {"run 2", "none"}, 5);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, Error::Kind::kNotFound);
}

}  // namespace
}  // namespace vintage::tests

// One verdict for runs and windows. There were two, with opposite precedence: a run in
// which a consumer broke could not tell of the failures that it had seen.

#include <array>

#include <gtest/gtest.h>

#include "archive/records/pair.h"
#include "archive/records/verdict.h"

namespace vintage::tests {
using namespace archive;

namespace {

constexpr std::array kFromWeakest{Verdict::kHolds, Verdict::kCompiles, Verdict::kNothingPassed,
                                  Verdict::kCannotTell, Verdict::kBroken};

using enum Cell;

Tally tallyOf(std::initializer_list<std::pair<Cell, int64_t>> cells) {
  Tally tally;
  for (const auto& [cell, count] : cells) tally[cell] = count;
  return tally;
}

TEST(Verdict, TheStrongerOfTwoIsThatOfTheWhole) {
  for (size_t i = 0; i < kFromWeakest.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(together(kFromWeakest[i], kFromWeakest[j]), kFromWeakest[i]);
      EXPECT_EQ(together(kFromWeakest[j], kFromWeakest[i]), kFromWeakest[i]);
    }
}

// "promise forward: nothing ran" stood beside "verdict: holds": that nothing ran was the
// weakest of all verdicts, so that a promise that nobody had tried vanished in the whole.
TEST(Verdict, WhereNothingRanInOnePartTheWholeCannotTell) {
  for (const Verdict other : {Verdict::kHolds, Verdict::kNothingPassed, Verdict::kCannotTell}) {
    EXPECT_EQ(together(Verdict::kNothingRan, other), Verdict::kCannotTell);
    EXPECT_EQ(together(other, Verdict::kNothingRan), Verdict::kCannotTell);
  }
  EXPECT_EQ(together(Verdict::kNothingRan, Verdict::kBroken), Verdict::kBroken);
  EXPECT_EQ(together(Verdict::kNothingRan, Verdict::kNothingRan), Verdict::kNothingRan);
}

TEST(Verdict, FollowsFromHowThePairsEnded) {
  EXPECT_EQ(verdictOf(tallyOf({})), Verdict::kNothingRan);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}})), Verdict::kHolds);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kExpectedFailure, 1}})), Verdict::kHolds);
  EXPECT_EQ(verdictOf(tallyOf({{kExpectedFailure, 1}})), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf(tallyOf({{kFail, 1}})), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kFail, 1}})), Verdict::kBroken);
  EXPECT_EQ(verdictOf(tallyOf({{kUntested, 1}})), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kUntested, 1}})), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kFail, 1}, {kUntested, 1}})), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kFail, 1}, {kUntested, 1}})), Verdict::kBroken);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}}), 1), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kExpectedFailure, 1}}), 1), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kFail, 1}}), 1), Verdict::kBroken);
  EXPECT_EQ(verdictOf(tallyOf({}), 1), Verdict::kNothingRan);
}

TEST(Verdict, WhatWasOnlyCompiledDoesNotHold) {
  EXPECT_EQ(verdictOf(tallyOf({{kCompiled, 1}})), Verdict::kCompiles);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 9}, {kCompiled, 1}})), Verdict::kCompiles);
  EXPECT_EQ(verdictOf(tallyOf({{kCompiled, 1}, {kExpectedFailure, 1}})), Verdict::kCompiles);
  EXPECT_EQ(verdictOf(tallyOf({{kCompiled, 1}, {kFail, 1}})), Verdict::kBroken);
  EXPECT_EQ(verdictOf(tallyOf({{kCompiled, 1}, {kUntested, 1}})), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf(tallyOf({{kCompiled, 1}}), 1), Verdict::kCannotTell);
}

TEST(Verdict, WhatIsNotComparableIsNeitherAPassNorAFailure) {
  EXPECT_EQ(verdictOf(tallyOf({{kNotComparable, 1}})), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf(tallyOf({{kPass, 1}, {kNotComparable, 9}})), Verdict::kHolds);
  EXPECT_EQ(verdictOf(tallyOf({{kFail, 1}, {kNotComparable, 1}})), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf(tallyOf({{kNotComparable, 1}}), 1), Verdict::kCannotTell);
  const Tally tally = tallyOf({{kPass, 2}, {kNotComparable, 1}});
  EXPECT_EQ(conclude(Verdict::kHolds, {.tally = tally, .ran = 3}, {}).reasons.front(),
            "each of 2 pairs that ran passed or failed as declared; 1 more ran and is not "
            "comparable");
  OutcomeRecord outcome;
  outcome.outcome = OutcomeKind::kNotComparable;
  EXPECT_EQ(judge(outcome, true), Cell::kNotComparable);
  EXPECT_EQ(failureClassOf(outcome), std::nullopt);
}

TEST(Verdict, ALimitationIsContradictedByACompilationToo) {
  OutcomeRecord compiled;
  compiled.outcome = OutcomeKind::kCompiled;
  EXPECT_EQ(judge(compiled, false), Cell::kCompiled);
  EXPECT_EQ(judge(compiled, true), Cell::kUnexpectedPass);
}

TEST(Verdict, DecidesTheExitStatus) {
  EXPECT_EQ(exitStatus(Verdict::kHolds), 0);
  EXPECT_EQ(exitStatus(Verdict::kCompiles), 0);
  EXPECT_EQ(exitStatus(Verdict::kBroken), 1);
  EXPECT_EQ(exitStatus(Verdict::kNothingPassed), 1);
  EXPECT_EQ(exitStatus(Verdict::kCannotTell), 3);
  EXPECT_EQ(exitStatus(Verdict::kNothingRan), 4);
}

}  // namespace
}  // namespace vintage::tests

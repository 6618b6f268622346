// One verdict for runs and windows. There were two, with opposite precedence: a run in
// which a consumer broke could not tell of the failures that it had seen.

#include <array>

#include <gtest/gtest.h>

#include "harness/verdict/cell.h"
#include "harness/verdict/verdict.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

constexpr std::array kFromWeakest{Verdict::kHolds, Verdict::kCompiles, Verdict::kNothingPassed,
                                  Verdict::kCannotTell, Verdict::kBroken};

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
  EXPECT_EQ(verdictOf({}), Verdict::kNothingRan);
  EXPECT_EQ(verdictOf({.passed = 1}), Verdict::kHolds);
  EXPECT_EQ(verdictOf({.passed = 1, .expectedFailures = 1}), Verdict::kHolds);
  EXPECT_EQ(verdictOf({.expectedFailures = 1}), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf({.failed = 1}), Verdict::kNothingPassed);
  EXPECT_EQ(verdictOf({.passed = 1, .failed = 1}), Verdict::kBroken);
  EXPECT_EQ(verdictOf({.unknown = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.passed = 1, .unknown = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.failed = 1, .unknown = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.passed = 1, .failed = 1, .unknown = 1}), Verdict::kBroken);
  EXPECT_EQ(verdictOf({.passed = 1, .missing = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.expectedFailures = 1, .missing = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.passed = 1, .failed = 1, .missing = 1}), Verdict::kBroken);
  EXPECT_EQ(verdictOf({.missing = 1}), Verdict::kNothingRan);
}

TEST(Verdict, WhatWasOnlyCompiledDoesNotHold) {
  EXPECT_EQ(verdictOf({.compiled = 1}), Verdict::kCompiles);
  EXPECT_EQ(verdictOf({.passed = 9, .compiled = 1}), Verdict::kCompiles);
  EXPECT_EQ(verdictOf({.compiled = 1, .expectedFailures = 1}), Verdict::kCompiles);
  EXPECT_EQ(verdictOf({.compiled = 1, .failed = 1}), Verdict::kBroken);
  EXPECT_EQ(verdictOf({.compiled = 1, .unknown = 1}), Verdict::kCannotTell);
  EXPECT_EQ(verdictOf({.compiled = 1, .missing = 1}), Verdict::kCannotTell);
}

TEST(Verdict, ALimitationIsContradictedByACompilationToo) {
  EXPECT_EQ(judge(OutcomeKind::kCompiled, false), Cell::kCompiled);
  EXPECT_EQ(judge(OutcomeKind::kCompiled, true), Cell::kUnexpectedPass);
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

// One verdict for runs and windows. There were two, with opposite precedence: a run in
// which a consumer broke could not tell of the failures that it had seen.

#include <array>

#include <gtest/gtest.h>

#include "harness/verdict/verdict.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

constexpr std::array kFromWeakest{Verdict::kNothingRan, Verdict::kHolds, Verdict::kNothingPassed,
                                  Verdict::kCannotTell, Verdict::kBroken};

TEST(Verdict, TheStrongerOfTwoIsThatOfTheWhole) {
  for (size_t i = 0; i < kFromWeakest.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(stronger(kFromWeakest[i], kFromWeakest[j]), kFromWeakest[i]);
      EXPECT_EQ(stronger(kFromWeakest[j], kFromWeakest[i]), kFromWeakest[i]);
    }
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
}

TEST(Verdict, DecidesTheExitStatus) {
  EXPECT_EQ(exitStatus(Verdict::kHolds), 0);
  EXPECT_EQ(exitStatus(Verdict::kBroken), 1);
  EXPECT_EQ(exitStatus(Verdict::kNothingPassed), 1);
  EXPECT_EQ(exitStatus(Verdict::kCannotTell), 3);
  EXPECT_EQ(exitStatus(Verdict::kNothingRan), 4);
}

}  // namespace
}  // namespace vintage::tests

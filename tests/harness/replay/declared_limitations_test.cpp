// A limitation covered whatever came of the use that it names: an int4 population count that
// is declared to give a wrong value on XLA's CPU could crash its worker, or never end, and the
// night was green.
#include "harness/replay/declared_limitations.h"

#include <gtest/gtest.h>

#include "tests/rooms.h"

namespace vintage::tests {
namespace {

TEST(DeclaredLimitations, SpeakOfTheKindOfFailureThatTheyDeclare) {
  const char* const wrongValue = "population-count-i4-cpu";
  EXPECT_TRUE(speaksOf(wrongValue, OutcomeKind::kMismatch));
  for (const OutcomeKind other :
       {OutcomeKind::kError, OutcomeKind::kUnsupported, OutcomeKind::kCrash, OutcomeKind::kTimeout,
        OutcomeKind::kRunnerError})
    EXPECT_FALSE(speaksOf(wrongValue, other)) << outcomeName(other);

  const char* const refused = "dot-general-four-bits-cpu";
  for (const OutcomeKind one : {OutcomeKind::kError, OutcomeKind::kUnsupported})
    EXPECT_TRUE(speaksOf(refused, one)) << outcomeName(one);
  for (const OutcomeKind other : {OutcomeKind::kMismatch, OutcomeKind::kCrash,
                                  OutcomeKind::kTimeout, OutcomeKind::kRunnerError})
    EXPECT_FALSE(speaksOf(refused, other)) << outcomeName(other);
}

TEST(DeclaredLimitations, EachKindOfFailureIsItsOwn) {
  EXPECT_EQ(failureOf(OutcomeKind::kMismatch), FailureKind::kWrongValue);
  EXPECT_EQ(failureOf(OutcomeKind::kCrash), FailureKind::kCrash);
  EXPECT_EQ(failureOf(OutcomeKind::kTimeout), FailureKind::kTimeout);
  EXPECT_EQ(failureOf(OutcomeKind::kRunnerError), std::nullopt);
}

TEST(DeclaredLimitations, APassContradictsEachOfThem) {
  for (const RecordedLimitation& limitation : declaredLimitations())
    EXPECT_TRUE(speaksOf(limitation.id, OutcomeKind::kPass)) << limitation.id;
}

TEST(DeclaredLimitations, WhatIsNotDeclaredSaysNothing) {
  for (const char* id : {"", "withdrawn-long-ago"}) {
    EXPECT_FALSE(speaksOf(id, OutcomeKind::kPass));
    EXPECT_FALSE(speaksOf(id, OutcomeKind::kError));
  }
}

}  // namespace
}  // namespace vintage::tests

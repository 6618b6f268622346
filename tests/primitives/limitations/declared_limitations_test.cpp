// A limitation covered every outcome of the use that it names: an int4 population count that is
// declared to give a wrong value on XLA's CPU could crash its worker, or never end, and the night
// was green.
#include <gtest/gtest.h>

#include "archive/records/limitation.h"
#include "primitives/limitations/limitations.h"

namespace vintage::tests {
using namespace primitives;
using namespace archive;

namespace {

// The limitation that explains this outcome of a use on the CPU in mode compiled; empty: none.
std::string declaredOf(const char* primitive, const char* dtype, OutcomeKind kind) {
  ArtifactRecord artifact;
  artifact.primitive = primitive;
  artifact.dtypes = {dtype};
  OutcomeRecord outcome;
  outcome.platform = "cpu";
  outcome.mode = "compiled";
  outcome.outcome = kind;
  const Limitation* found = match(limitations(), artifact, outcome, *parseDate("2026-11-25"));
  return found ? found->id : "";
}

TEST(DeclaredLimitations, SpeakOfTheKindOfFailureThatTheyDeclare) {
  const auto wrongValue = [](OutcomeKind kind) {
    return declaredOf("population_count", "i4", kind);
  };
  EXPECT_EQ(wrongValue(OutcomeKind::kMismatch), "population-count-i4-cpu");
  for (const OutcomeKind other :
       {OutcomeKind::kError, OutcomeKind::kUnsupported, OutcomeKind::kCrash, OutcomeKind::kTimeout,
        OutcomeKind::kRunnerError, OutcomeKind::kCompiled})
    EXPECT_EQ(wrongValue(other), "") << outcomeName(other);

  const auto refused = [](OutcomeKind kind) { return declaredOf("dot_general", "i4", kind); };
  for (const OutcomeKind one :
       {OutcomeKind::kError, OutcomeKind::kUnsupported, OutcomeKind::kCompiled})
    EXPECT_EQ(refused(one), "dot-general-four-bits-cpu") << outcomeName(one);
  for (const OutcomeKind other : {OutcomeKind::kMismatch, OutcomeKind::kCrash,
                                  OutcomeKind::kTimeout, OutcomeKind::kRunnerError})
    EXPECT_EQ(refused(other), "") << outcomeName(other);
}

TEST(DeclaredLimitations, EachKindOfFailureIsItsOwn) {
  EXPECT_EQ(failureKindOf(OutcomeKind::kMismatch), FailureKind::kWrongValue);
  EXPECT_EQ(failureKindOf(OutcomeKind::kCrash), FailureKind::kCrash);
  EXPECT_EQ(failureKindOf(OutcomeKind::kTimeout), FailureKind::kTimeout);
  EXPECT_EQ(failureKindOf(OutcomeKind::kRunnerError), std::nullopt);
}

TEST(DeclaredLimitations, APassContradictsEachOfThem) {
  EXPECT_EQ(declaredOf("population_count", "i4", OutcomeKind::kPass), "population-count-i4-cpu");
  EXPECT_EQ(declaredOf("dot_general", "i4", OutcomeKind::kPass), "dot-general-four-bits-cpu");
}

TEST(DeclaredLimitations, WhatIsNotDeclaredSaysNothing) {
  for (const OutcomeKind kind : {OutcomeKind::kPass, OutcomeKind::kError})
    EXPECT_EQ(declaredOf("add", "f32", kind), "");
}

}  // namespace
}  // namespace vintage::tests

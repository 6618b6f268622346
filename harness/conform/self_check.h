// Runs programs that check their own values: those of StableHLO's test data,
// which hold inputs, expectations and check.* operations.
//
// The checks are taken out of the program before it is compiled, and the values
// that they compare become outputs; so the engine runs what it would run
// without them, and every check is judged, not only the first that fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/program/program.h"
#include "harness/engine/engine.h"

namespace vintage::harness {

struct Check {
  enum class Kind { kEqual, kAlmostEqual, kClose };
  Kind kind = Kind::kEqual;
  std::string name;      // "check.expect_close"
  std::string location;
  // Places among the outputs that the function has now.
  size_t actual = 0;
  std::optional<size_t> expectedOutput;  // Or:
  golden::Tensor expected;
  // kAlmostEqual: absolute. Upstream enables programs whose results it can only
  // reach within 5e-4, and calls those inaccurate that differ by 4e-3.
  double tolerance = 1e-3;
  int64_t maxUlps = 3;      // kClose.
};

// Takes the checks out of the body of `function` and returns the values that
// they compare instead of its own results. A check in a nested region, one
// whose own result (check.eq has one) is used, or one with attributes of
// another kind is an error.
Result<std::vector<Check>> extractChecks(golden::Function& function);

// Empty where it holds; else the first element that does not.
std::optional<std::string> judge(const Check& check, const golden::Tensor& actual,
                                 const golden::Tensor& expected);

struct SelfCheck {
  enum class Outcome {  // Each is worse to learn than those above it.
    kSkipped,           // It checks nothing, or in a way that cannot be judged.
    kPassed,            // Every check holds.
    kUnsupported,       // It needs something that the engine does not have.
    kError,             // It could not be planned, or stopped on the way.
    kMismatch,          // A check does not hold.
  };
  Outcome outcome = Outcome::kSkipped;
  int checks = 0;
  // One for each check that does not hold, with the check, the first element
  // that differs, both values and their distance; or the one error; or why it
  // was skipped.
  std::vector<std::string> messages;
};

const char* name(SelfCheck::Outcome outcome);

// The entry is @main; without it, each function that takes no arguments runs,
// and the worst outcome counts. One that takes inputs and checks nothing does not
// run; one that takes none does, although it can only be skipped or fail.
SelfCheck runSelfCheck(const golden::ModuleTree& module, ExecutionMode mode);

// Checks form instead of values: a program that is written as a portable artifact and read back
// prints the same text. By way of the lowest version that can carry the program and of the current
// one. Locations travel along, because the printed form of a reduction depends
// on them: it is compact only where its body has no place of its own.
// A kMismatch shows the first line that changes, both ways; another kind is what
// writing or reading says. `name` stands in messages.
Status checkRoundTrip(golden::ProgramContext& context, const golden::Program& program,
                      const std::string& name);

}  // namespace vintage::harness

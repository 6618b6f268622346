// Runs programs that check their own values: those of StableHLO's test data,
// which hold inputs, expectations and check.* operations.
//
// The checks are removed from the program before it is compiled, and the values that they compare
// become outputs. So the engine runs the program as it would without checks, and every check is
// judged, not only the first that fails.
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
  std::string name;  // "check.expect_close"
  std::string location;
  // Positions among the function's new outputs.
  size_t actual = 0;
  std::optional<size_t> expectedOutput;  // Or:
  golden::Tensor expected;
  // kAlmostEqual: absolute. Upstream enables programs whose results it can only
  // reach within 5e-4, and calls those inaccurate that differ by 4e-3.
  double tolerance = 1e-3;
  int64_t maxUlps = 3;  // kClose.
};

// Removes the checks from the body of `function`, whose results become the values that they
// compare. A check in a nested region, a check whose own result is used (check.eq has one), and a
// check with attributes of another kind are errors.
Result<std::vector<Check>> extractChecks(golden::Function& function);

// Empty if it holds; else the first element that does not.
std::optional<std::string> judge(const Check& check, const golden::Tensor& actual,
                                 const golden::Tensor& expected);

struct SelfCheck {
  enum class Outcome {  // From best to worst.
    kSkipped,           // It checks nothing, or in a way that cannot be judged.
    kPassed,            // Every check holds.
    kUnsupported,       // It needs something that the engine does not have.
    kError,             // It could not be planned, or stopped on the way.
    kMismatch,          // A check does not hold.
  };
  Outcome outcome = Outcome::kSkipped;
  int checks = 0;
  // One for each check that does not hold, with the check, the first element that differs, both
  // values and their distance; or the one error; or the reason for skipping.
  std::vector<std::string> messages;
};

const char* name(SelfCheck::Outcome outcome);

// Runs @main; without it, each function without arguments, and the worst outcome counts. A function
// that takes inputs and checks nothing does not run; one without inputs does, although it can only
// be skipped or fail.
SelfCheck runSelfCheck(const golden::ModuleTree& module, ExecutionMode mode);

// Checks form instead of values: a program that is written as a portable artifact and read back
// prints the same text. Tried at the lowest version that can carry the program and at the current
// one. Locations are kept, because the printed form of a reduction depends on them: it is compact
// only if its body has no location of its own. A kMismatch shows the first line that changes, in
// both forms; another kind is an error of writing or reading. `name` appears in messages.
Status checkRoundTrip(golden::ProgramContext& context, const golden::Program& program,
                      const std::string& name);

}  // namespace vintage::harness

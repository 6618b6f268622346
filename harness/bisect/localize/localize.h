// Finds the first operation whose value differs between a consumer that fails and one that does
// not, and a small program that still shows the difference.
//
// Both execute parts of the program (golden/program/excerpt.h), so this works with any consumer
// that speaks the worker protocol:
//
//   1. Calls are inlined, and dynamic shapes made static for these inputs.
//   2. All intermediate values are returned from main and compared, first under the golden's own
//      tolerance, then exactly. Returning them may make the failure disappear (a compiler then
//      fuses differently); in this case one operation's values are returned at a time, by bisection
//      along the program.
//   3. The first operation that differs is executed alone on the values of the good side, so that a
//      difference that it only passes on does not count.
//   4. A branch that was taken, and the first turn of a loop that differs, take the operation's
//      place, and the search continues inside. Other regions (the bodies of reduce, sort, scatter,
//      map) are not searched: their values exist for one element at a time.
//   5. The result is one operation with its operands, or, if it fails only in company, with as many
//      of the operations before it as are necessary.
//
// A consumer that rejects the program or crashes is given the first 1, 2, … operations, by
// bisection: the last operation of the shortest failing prefix is the culprit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/records/speed_report.h"
#include "golden/base/result.h"
#include "harness/bisect/localize/side.h"
#include "harness/bisect/probe.h"

namespace vintage::harness {

struct LocalizeOptions {
  WorkerLimits limits;
  // Bytes of intermediate values in one execution; more are returned in parts.
  size_t mostBytes = size_t{512} << 20;
};

// A program that still showed the failure when it was made.
struct ReducedProgram {
  std::string text;               // StableHLO.
  std::vector<std::byte> module;  // The same as a portable artifact.
  std::vector<golden::Tensor> arguments;
  std::vector<golden::Tensor> expected;  // From the good side.
  size_t operations = 0;
};

class MainOperations;

struct Localization {
  // "stablehlo.tanh", "stablehlo.custom_call @mhlo.erf"; empty: it fails before any operation.
  std::string operation;
  std::string location;             // Its name stack or file, where the artifact has it.
  std::vector<std::string> inside;  // "branch 1 of stablehlo.case", "turn 3 of stablehlo.while"
  std::vector<std::string> operands, results;  // "f32[2,3]"
  std::optional<ValueDifference> difference;   // None where the consumer failed.
  std::string failure;                         // The outcome and the message of the consumer.
  // The ratio to the reference, for a part that is slower or larger (slow_part.h).
  std::optional<archive::MeasuredQuantity> measured;
  bool alone = false;  // One operation with its operands shows it.
  ReducedProgram reduced;
  std::vector<std::string> notes;  // Where a limit was met.
  int executions = 0;              // On each side; comparisons where it is measured.
  // Names the operation, with its operands and results.
  void name(const MainOperations& main, size_t number);
};

// kUsage: the consumer does not fail, or the reference fails as well.
Result<Localization> localize(const Subject& subject, const std::vector<std::string>& failing,
                              const std::vector<std::string>& reference,
                              const LocalizeOptions& options);

std::string describe(const Localization& localization);

}  // namespace vintage::harness

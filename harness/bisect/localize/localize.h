// Finds the first operation whose value differs between a consumer that fails
// and one that does not, and a small program that still shows it.
//
// Both execute parts of the program (golden/program/excerpt.h), so any consumer
// that speaks the worker protocol can be looked into:
//
//   1. Calls are inlined, and dynamic shapes made static for these inputs.
//   2. All intermediate values are returned from main and compared, first under
//      the golden's own tolerance, then exactly. Where asking for them makes the
//      failure disappear (a compiler fuses differently then), one operation's
//      values are asked for at a time, by bisection along the program.
//   3. The first operation that differs is executed alone on the values that
//      the good side had, so that a difference that only travelled through it
//      does not count.
//   4. A branch that was taken, and the first turn of a loop that differs, take
//      the operation's place, and the search goes on in there. Other regions
//      (the bodies of reduce, sort, scatter, map) are not looked into: their
//      values exist for one element at a time.
//   5. What is left is one operation with its operands, or, where it fails only
//      in company, with as many of the operations before it as that takes.
//
// A consumer that refuses or crashes is asked for the first 1, 2, … operations,
// by bisection: the last one of the shortest beginning that fails is to blame.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/bisect/localize/side.h"
#include "harness/bisect/probe.h"

namespace vintage::harness {

struct LocalizeOptions {
  WorkerLimits limits;
  // Intermediate values in one execution; more are asked for in parts.
  size_t mostBytes = size_t{512} << 20;
};

// A program whose failure was seen again when it was made.
struct ReducedProgram {
  std::string text;               // StableHLO.
  std::vector<std::byte> module;  // The same as a portable artifact.
  std::vector<golden::Tensor> arguments;
  std::vector<golden::Tensor> expected;  // From the good side.
  size_t operations = 0;
};

struct Localization {
  // "stablehlo.tanh", "stablehlo.custom_call @mhlo.erf"; empty: it fails before
  // any operation.
  std::string operation;
  std::string location;             // Its name stack or file, where the artifact has it.
  std::vector<std::string> inside;  // "branch 1 of stablehlo.case", "turn 3 of stablehlo.while"
  std::vector<std::string> operands, results;  // "f32[2,3]"
  std::optional<ValueDifference> difference;   // None where the consumer failed.
  std::string failure;                         // How it failed, with its words.
  bool alone = false;                          // One operation with its operands shows it.
  ReducedProgram reduced;
  std::vector<std::string> notes;  // Where a limit was met.
  int executions = 0;              // On each side.
};

// kUsage: the consumer does not fail, or the reference fails as well.
Result<Localization> localize(const Subject& subject, const std::vector<std::string>& failing,
                              const std::vector<std::string>& reference,
                              const LocalizeOptions& options);

std::string describe(const Localization& localization);

}  // namespace vintage::harness

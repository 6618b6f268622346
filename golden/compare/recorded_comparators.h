// Chooses how outputs compare with expected ones that others recorded.
//
// Such goldens do not say how exact they are. Factors of a solver, and outputs of a sort that may
// leave equal elements in any order, compare by meaning. All others compare by value: integers
// exactly, floats within a bound that rounding, the family of the custom calls and, behind solvers,
// the condition of the program's matrices explain.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/compare/comparator.h"

namespace vintage::golden {

// One output, followed back to the operation that gives it.
struct RecordedOutput {
  // A custom-call target, "stablehlo.cholesky" or "stablehlo.sort"; empty: the
  // output was computed from several values.
  std::string maker;
  int call = 0;         // Outputs of one call have one number.
  bool moved = false;   // Reshaped, transposed or converted on the way,
  bool masked = false;  // or some elements cut off, or replaced by constants.
  bool upper = false;   // Of a Cholesky factorization: the triangle that it fills.
  // Of a sort: whether its order uses this output, whether it keeps equal elements in their order,
  // and the dimension along which it sorts.
  bool sortKey = false, stable = true;
  bool first = false;  // Only the first of the sorted elements are there, as of a top-k.
  int64_t sortDimension = 0;
  // Its values that a specification leaves open. For stablehlo.cholesky and stablehlo.sort, see
  // `maker`.
  struct Open {
    OpenValues values;
    std::optional<size_t> lowInput, highInput;  // The inputs that are its bounds.
  };
  std::vector<Open> open;
};

struct RecordedProgram {
  // The targets of its custom calls, and those of its operations that solve.
  std::vector<std::string> solvers;
  std::vector<RecordedOutput> outputs;  // Empty: nothing is known of them.
  // How many inputs @main takes, and nothing else; none: it is not known which argument is which.
  std::optional<size_t> arguments;
  // The coarsest type to which it rounds a value that it computes with further. A
  // compiler may leave such a rounding out.
  std::optional<ElementType> roundsTo;
};

// One comparator over all outputs, or one for each, as Golden::comparators. The
// expected outputs are their own answer under it.
std::vector<Comparator> comparatorsForRecorded(const RecordedProgram& program,
                                               std::span<const Tensor> inputs,
                                               std::span<const Tensor> expected);

// A note beside the producer's name where a golden's values may differ from the program's by an
// excess of precision; empty: they may not.
std::string excessPrecisionNote(const RecordedProgram& program, std::span<const Tensor> expected);

}  // namespace vintage::golden

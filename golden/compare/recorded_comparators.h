// How the outputs of a program compare whose expected ones others recorded.
//
// Such goldens do not say how exact they are. Where the outputs are the factors
// that a solver gave, or a sort's that may leave equal elements in any order, they
// compare by meaning. Everything else compares by value: integers exactly, floats
// within what rounding, the family of the custom calls and, for what solvers feed,
// the condition of the program's matrices explain.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/compare/comparator.h"

namespace vintage::golden {

// One output, followed back to the operation whose result it is.
struct RecordedOutput {
  // A custom-call target, "stablehlo.cholesky" or "stablehlo.sort"; empty: the
  // output was computed from several values.
  std::string maker;
  int call = 0;         // Outputs of one call have one number.
  bool moved = false;   // Reshaped, transposed or converted on the way,
  bool masked = false;  // or some elements cut off, or replaced by constants.
  bool upper = false;   // Of a Cholesky factorization: the triangle that it fills.
  // Of a sort: whether its order looks at this output, keeps equal elements in
  // their order, and the dimension along which it sorts.
  bool sortKey = false, stable = true;
  bool first = false;  // Only the first of the sorted elements are there, as of a top-k.
  int64_t sortDimension = 0;
  // Its values that a specification leaves open. Of stablehlo.cholesky and stablehlo.sort, `maker`
  // says it.
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

// Where a golden's values may differ from the program's by an excess of precision:
// what to say of it beside the name of who recorded them. Empty where they may not.
std::string excessPrecisionNote(const RecordedProgram& program, std::span<const Tensor> expected);

}  // namespace vintage::golden

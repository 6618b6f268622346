// Runs of elementwise operations over as many elements as one operation.
//
// One after the other, such operations read and write memory for each value between them, which
// costs more than their arithmetic, and over few elements a step costs more than both. Fused, they
// run over a few hundred elements at a time, and what lies between them stays in the cache. Each
// element is computed by the same loops in the same order, so that its bits are those of the
// operations by themselves. A reduce whose operand nobody else needs takes it a few rows at a time,
// so that the operand is never there as a whole.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/kernel.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {

// No program has this operation: fuseElementwise makes it. Its region takes its operands and
// returns its results. Each value in it but a reduce's, its last operation, has as many elements as
// the result of the first operation that is no kNumber.
inline constexpr std::string_view kFused = "vintage.elementwise";
// Nor this: a constant whose elements are all the same, by the first one. JAX writes the functions
// of CHLO out with constants of the size of their operands.
inline constexpr std::string_view kNumber = "vintage.number";

struct FusedOperations {
  std::vector<const golden::Operation*> operations;  // Those of the block, and of the next.
  std::deque<golden::Operation> fused;
};
// The operations of a block, which must outlive the result, with each run of elementwise ones over
// as many elements as one operation; none where there is no such run. Broadcasts and reshapes of
// what they take are among them. A run stands where the first of its results is needed.
std::optional<FusedOperations> fuseElementwise(std::span<const golden::Operation> operations,
                                               std::span<const golden::ValueType> valueTypes);

// A reduce at the end. Its operand, row-major, has this shape; the first dimension is kept.
struct FusedReduce {
  golden::Shape shape;
  size_t initial;  // The operand of the whole operation with the initial value.
  Kernel kernel;   // Over any number of rows.
};
// The operation over an operand whose first dimensions are one; none where it reduces the first or
// has more than one operand.
struct ReduceOverRows {
  golden::Operation operation;
  golden::Shape shape;
  int64_t resultsOfRow = 1;
};
std::optional<ReduceOverRows> overRows(const golden::Operation& reduce,
                                       const golden::ValueType& operand);

// A kFused by the program of its region. With a reduce, the program's last result is the operand
// and the last of `resultTypes` is what the reduce gives.
struct FusedProgram {
  std::shared_ptr<const ScalarProgram> program;
  int64_t lanes = 0;
  std::vector<golden::ValueType> resultTypes;
  std::optional<FusedReduce> reduce;
};
Kernel fusedKernel(FusedProgram fused);

}  // namespace vintage::harness

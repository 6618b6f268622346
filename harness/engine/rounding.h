// Random rounding: what the results of a program would be if each of its roundings had
// gone another way. Runs with several seeds show how far its arithmetic scatters (Monte
// Carlo arithmetic; D. S. Parker, UCLA CSD-970002, 1997; J. Vignes, "A stochastic
// arithmetic for reliable scientific computation", 1993).
//
// After an operation that rounds, each element of its results moves by as many units in
// the last place as it may be wrong by, up or down at random. Operations that are exact
// stay exact: moves, comparisons, integers, signs, minima and maxima, but also a sum,
// product, quotient or root without a rounding error, a function of zero, and sums of
// numbers so short that no order of summation rounds.
//
// A sum of n terms rounds n times, and each partial sum by as much as it is large, so a
// move of the result alone would hide what cancels. Its terms move instead, each by √n
// units: as much, in the mean, as the roundings of partial sums of random sign. A product
// of matrices moves both factors. Factorizations and solvers are backward stable, so their
// matrices move.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// How an operation rounds.
struct Rounding {
  enum class Kind : uint8_t {
    kNone,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kSquareRoot,
    kConvert,       // Correctly, so maybe not at all.
    kFunction,      // It is exact at zero.
    kSum,           // Of operands or their products.
    kScatteredSum,  // Into an operand, whose other elements stay.
    kSolver,
  };
  Kind kind = Kind::kNone;
  // The operands that move: [firstMoved, lastMoved), by so many units in the last place.
  size_t firstMoved = 0, lastMoved = 0;
  double operandUnits = 0;
  double resultUnits = 0;
  double terms = 1;              // Of a sum.
  bool onlyAdds = false;         // Of a sum: it may be exact.
  bool accumulatesWide = false;  // In f32 where its elements are narrower.
};
Rounding roundingOf(const golden::Operation& operation,
                    std::span<const golden::ValueType> operandTypes,
                    std::span<const golden::ValueType> resultTypes);

// Of one run and one process. The seed, the number of the step in the run and the element's index
// decide which elements move and how far; threads have no influence.
class RandomRounding {
 public:
  explicit RandomRounding(uint64_t seed) : seed_(seed) {}
  // Before and after the kernel of a step that rounds; it must leave its operands as they are.
  void moveOperands(const Rounding& rounding, std::span<Value> operands);
  void moveResults(const Rounding& rounding, std::span<const Value> operands,
                   std::span<Value> results);

 private:
  uint64_t seed_;
  uint64_t step_ = 0;
  bool exact_ = false;  // Of the sum that runs.
};

}  // namespace vintage::harness

// Element-wise functions by the name of their JAX primitive: real and complex
// ones in 192 bits (MPFR) rounded once, integers exactly with wraparound.
#pragma once

#include <string_view>

#include "golden/base/result.h"
#include "golden/oracle/number.h"

namespace vintage::golden::oracle {

// The result has the operand's type. kUnsupported where the function is not
// known or not defined for the type.
Result<Tensor> applyUnary(std::string_view function, const Tensor& operand);
// Both operands have one type and shape, or one of them is a scalar.
Result<Tensor> applyBinary(std::string_view function, const Tensor& left, const Tensor& right);

// One pair of elements; the building block of folds and scatters. Floats are
// rounded to `type`.
using Combine = Number (*)(ElementType type, const Number& left, const Number& right);
// "add", "mul", "max", "min", "and", "or", "xor"; null for other names.
Combine combineFunction(std::string_view function);

// As StableHLO orders complex numbers: by real part, then by imaginary part.
bool complexLess(const Number& left, const Number& right);

enum class Ordering { kEq, kNe, kLt, kLe, kGt, kGe };
// Element-wise; NaN is unordered. The result is a predicate.
Tensor applyComparison(Ordering ordering, const Tensor& left, const Tensor& right);

}  // namespace vintage::golden::oracle

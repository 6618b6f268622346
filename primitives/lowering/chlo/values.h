// How CHLO's decompositions write constants, comparisons and polynomials.
#pragma once

#include <span>
#include <string>

#include "primitives/lowering/expression.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering::chlo {

// A constant of x's type and shape; where a size is not known, a scalar that is broadcast to
// the shape that x turns out to have. Of complex types the imaginary part is zero.
Expression constantLike(const Expression& x, double value);
Expression constantLike(const Expression& x, ElementType type, int64_t value);

// The largest finite number and the smallest normal one of a float type.
double largestOf(ElementType type);
double smallestOf(ElementType type);

// A comparison that does not say of which kind it is: that follows from the operands.
Expression compared(std::string_view direction, const Expression& a, const Expression& b);

// ((c0 x + c1) x + c2) …, the highest power first.
Expression polynomial(const Expression& x, std::span<const double> coefficients);

// The position along `dimension` in an array of x's shape; and the first `count` elements
// along the last dimension. Sizes that are not known are those that x turns out to have.
SsaValue iotaLike(FunctionBuilder& builder, const SsaValue& x, ElementType type, int64_t dimension);
SsaValue leading(FunctionBuilder& builder, const SsaValue& x, int64_t count);

}  // namespace vintage::primitives::lowering::chlo

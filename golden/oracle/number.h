// One element of any tensor, as an exact value, and rounding to a type.
//
// Oracles compute with values that hold more than the result's type and round
// once, to nearest, ties to even. Nothing here is shared with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "golden/tensor/tensor.h"

namespace vintage::oracle {

// At least 113 bits of precision and 15 of exponent.
#if defined(__SIZEOF_FLOAT128__)
using Quad = __float128;
#else
using Quad = long double;
static_assert(__LDBL_MANT_DIG__ >= 113);
#endif
using Wide = __int128;

struct Number {
  Wide integer = 0;             // Predicates and integers.
  double real = 0, imaginary = 0;  // Floats and complex numbers, exactly.
};

Number load(const Tensor& tensor, int64_t index);
// Integers wrap around; floats must be representable or are rounded from double.
void store(Tensor& tensor, int64_t index, const Number& value);

// `value` modulo two to the width of the integer type, in its range.
Wide wrap(ElementType type, Wide value);
// Lowest and highest value of an integer type or predicate.
Wide lowest(ElementType type);
Wide highest(ElementType type);

// Precision with the implicit bit, and the exponents of the smallest normal
// and the largest finite number (2^e <= |x| < 2^(e+1)).
struct FloatFormat {
  int precision, smallest, largest;
};
FloatFormat floatFormat(ElementType type);  // bf16, f16, f32, f64, and the parts of complex.

// To the nearest value of a float type, as an exact double; overflow becomes
// infinity, subnormals are kept.
double roundTo(ElementType type, Quad value);

// Copies one element's bits; the types must agree.
void copyElement(const Tensor& from, int64_t fromIndex, Tensor& to, int64_t toIndex);

// Row-major positions and strides.
Shape stridesOf(std::span<const int64_t> shape);
// Calls with each index of `shape` in row-major order.
void forEachIndex(std::span<const int64_t> shape, const std::function<void(const Shape&)>& visit);
int64_t positionOf(std::span<const int64_t> shape, std::span<const int64_t> index);

}  // namespace vintage::oracle

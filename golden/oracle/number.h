// One element of any tensor, as an exact value, and rounding to a type.
//
// Oracles compute with values that hold more than the result's type and round
// once, to nearest, ties to even. Nothing here is shared with the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#include "golden/tensor/tensor.h"

namespace vintage::golden::oracle {

// At least 113 bits of precision and 15 of exponent.
#if defined(__SIZEOF_FLOAT128__)
using Quad = __float128;
#else
using Quad = long double;
static_assert(__LDBL_MANT_DIG__ >= 113);
#endif
using Wide = __int128;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Number {
  Wide integer = 0;                // Predicates and integers.
  double real = 0, imaginary = 0;  // Floats and complex numbers, exactly.
};

Number load(const Tensor& tensor, int64_t index);
// Integers wrap around; floats must be representable or are rounded from double.
void store(Tensor& tensor, int64_t index, const Number& value);

// A tensor whose element i is function(i): a Number, or what storeRounded rounds.
template <typename Function>
Tensor eachElement(ElementType type, const Shape& shape, Function function) {
  Tensor result(type, shape);
  for (int64_t i = 0; i < result.size(); ++i) {
    if constexpr (std::is_same_v<decltype(function(i)), Number>)
      store(result, i, function(i));
    else
      storeRounded(result, i, function(i));
  }
  return result;
}

// `value` modulo two to the width of the integer type, in its range.
Wide wrap(ElementType type, Wide value);
// Lowest and highest value of an integer type or predicate.
Wide lowest(ElementType type);
Wide highest(ElementType type);

// Precision with the implicit bit, and the exponents of the smallest normal
// and the largest finite number (2^e <= |x| < 2^(e+1)).
struct FloatFormat {
  int precision, smallest, largest;
  // The result for numbers beyond the largest finite one, infinity included.
  enum class Overflow : uint8_t { kInfinity, kNan, kSaturates } overflow = Overflow::kInfinity;
  // Steps below 2^(largest+1) that are not numbers: NaN has their codes.
  int missing = 0;
  bool negativeZero = true, subnormals = true;
  double largestFinite() const;
  bool hasNan() const { return overflow != Overflow::kSaturates; }
};
// Every float type, and the parts of complex ones: OCP's 8-bit specification and
// its microscaling formats, and the FNUZ formats, as ml_dtypes has them.
FloatFormat floatFormat(ElementType type);

// To the nearest value of a float type, as an exact double; overflow is as the
// format says, subnormals are kept.
double roundTo(ElementType type, Quad value);
// The last step of rounding: turns a number that has the type's precision into one of its values,
// by the format's rules for overflow and for the sign of zero.
double withinFormat(const FloatFormat& format, double rounded);

// Copies one element's bits; the types must agree.
void copyElement(const Tensor& from, int64_t fromIndex, Tensor& to, int64_t toIndex);

// Row-major positions and strides.
Shape stridesOf(std::span<const int64_t> shape);
// Calls with each index of `shape` in row-major order.
void forEachIndex(std::span<const int64_t> shape, const std::function<void(const Shape&)>& visit);
int64_t positionOf(std::span<const int64_t> shape, std::span<const int64_t> index);

// A tensor whose element at an index is function(index), as in eachElement.
template <typename Function>
Tensor eachIndex(ElementType type, const Shape& shape, Function function) {
  Tensor result(type, shape);
  int64_t position = 0;
  forEachIndex(shape, [&](const Shape& index) {
    if constexpr (std::is_same_v<decltype(function(index)), Number>)
      store(result, position++, function(index));
    else
      storeRounded(result, position++, function(index));
  });
  return result;
}

}  // namespace vintage::golden::oracle

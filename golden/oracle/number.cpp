#include "golden/oracle/number.h"

#include <cmath>
#include <cstring>

#include "golden/tensor/visit.h"

namespace vintage::golden::oracle {

Number load(const Tensor& tensor, int64_t index) {
  return visitElementType(tensor.type(), [&]<typename T>() -> Number {
    const T value = tensor.values<T>()[static_cast<size_t>(index)];
    if constexpr (kIsComplexStorage<T>)
      return {0, value.real(), value.imag()};
    else if constexpr (kIsFloatStorage<T>)
      return {0, static_cast<double>(value), 0};
    else if constexpr (kIsPredicateStorage<T>)
      return {static_cast<bool>(value) ? 1 : 0};
    else
      return {static_cast<Computation<T>>(value)};
  });
}

void store(Tensor& tensor, int64_t index, const Number& value) {
  visitElementType(tensor.type(), [&]<typename T>() {
    T& place = tensor.mutableValues<T>()[static_cast<size_t>(index)];
    if constexpr (kIsComplexStorage<T>) {
      using Part = typename T::value_type;
      place = T(static_cast<Part>(value.real), static_cast<Part>(value.imaginary));
    } else if constexpr (kIsFloatStorage<T>) {
      place = T(value.real);
    } else if constexpr (kIsPredicateStorage<T>) {
      place = T(value.integer != 0);
    } else {
      place = T(static_cast<Computation<T>>(wrap(tensor.type(), value.integer)));
    }
  });
}

Wide lowest(ElementType type) {
  return isSignedInteger(type) ? -(Wide{1} << (bitWidth(type) - 1)) : Wide{0};
}

Wide highest(ElementType type) {
  return (Wide{1} << (bitWidth(type) - (isSignedInteger(type) ? 1 : 0))) - 1;
}

Wide wrap(ElementType type, Wide value) {
  if (isPredicate(type)) return value != 0 ? 1 : 0;
  const int bits = bitWidth(type);
  const auto modulus = static_cast<unsigned __int128>(1) << bits;
  Wide low = static_cast<Wide>(static_cast<unsigned __int128>(value) & (modulus - 1));
  if (isSignedInteger(type) && low > highest(type)) low -= static_cast<Wide>(modulus);
  return low;
}

double FloatFormat::largestFinite() const {
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - precision) * (1 + missing), largest);
}

FloatFormat floatFormat(ElementType type) {
  using enum FloatFormat::Overflow;
  using enum ElementType;
  switch (realPart(type)) {
    case kBF16:
      return {8, -126, 127};
    case kF16:
      return {11, -14, 15};
    case kF32:
      return {24, -126, 127};
    case kF8E5M2:
      return {3, -14, 15};
    case kF8E4M3:
      return {4, -6, 7};
    case kF8E3M4:
      return {5, -2, 3};
    case kF8E4M3FN:
      return {4, -6, 8, kNan, 1};
    case kF8E4M3FNUZ:
      return {4, -7, 7, kNan, 0, false};
    case kF8E4M3B11FNUZ:
      return {4, -10, 4, kNan, 0, false};
    case kF8E5M2FNUZ:
      return {3, -15, 15, kNan, 0, false};
    case kF8E8M0FNU:
      return {1, -127, 127, kNan, 0, false, false};
    case kF6E2M3FN:
      return {4, 0, 2, kSaturates};
    case kF6E3M2FN:
      return {3, -2, 4, kSaturates};
    case kF4E2M1FN:
      return {2, 0, 2, kSaturates};
    default:
      return {53, -1022, 1023};
  }
}

double withinFormat(const FloatFormat& format, double rounded) {
  const double largest = format.largestFinite();
  if (!format.subnormals && !(rounded > 0)) return kNan;  // Neither sign nor zero.
  if (rounded == 0) return format.negativeZero ? rounded : 0.0;
  if (std::isnan(rounded) || std::abs(rounded) <= largest) return rounded;
  if (format.overflow == FloatFormat::Overflow::kNan) return kNan;
  const bool saturates = format.overflow == FloatFormat::Overflow::kSaturates;
  return std::copysign(saturates ? largest : kInfinity, rounded);
}

double roundTo(ElementType type, Quad value) {
  const FloatFormat format = floatFormat(type);
  const auto near = static_cast<long double>(value);
  if (std::isnan(near) || std::isinf(near) || value == 0)
    return withinFormat(format, static_cast<double>(near));
  const Quad magnitude = value < 0 ? -value : value;
  if (!format.subnormals && value > 0 && near < std::ldexp(1.0L, format.smallest))
    return std::ldexp(1.0, format.smallest);  // Nothing is nearer: there is no zero.
  // `near` may have been rounded up to the next power of two.
  int exponent = std::ilogb(near);
  if (static_cast<Quad>(std::ldexp(1.0L, exponent)) > magnitude) --exponent;
  const int unit = std::max(exponent, format.smallest) - (format.precision - 1);
  const Quad scaled = magnitude * static_cast<Quad>(std::ldexp(1.0L, -unit));
  auto units = static_cast<Wide>(scaled);
  const Quad rest = scaled - static_cast<Quad>(units);
  if (rest > static_cast<Quad>(0.5) || (rest == static_cast<Quad>(0.5) && (units & 1))) ++units;
  const long double rounded = std::ldexp(static_cast<long double>(units), unit);
  return withinFormat(format, static_cast<double>(value < 0 ? -rounded : rounded));
}

void copyElement(const Tensor& from, int64_t fromIndex, Tensor& to, int64_t toIndex) {
  const size_t width = byteWidth(from.type());
  std::memcpy(to.mutableBytes().data() + static_cast<size_t>(toIndex) * width,
              from.bytes().data() + static_cast<size_t>(fromIndex) * width, width);
}

Shape stridesOf(std::span<const int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void forEachIndex(std::span<const int64_t> shape, const std::function<void(const Shape&)>& visit) {
  if (elementCount(shape) == 0) return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t axis = shape.size();
    while (axis-- > 0) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
    if (axis == static_cast<size_t>(-1)) return;
  }
}

int64_t positionOf(std::span<const int64_t> shape, std::span<const int64_t> index) {
  int64_t position = 0;
  for (size_t i = 0; i < shape.size(); ++i) position = position * shape[i] + index[i];
  return position;
}

}  // namespace vintage::golden::oracle

#include "golden/oracle/elementwise.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <tuple>

namespace vintage::golden::oracle {

bool complexLess(const Number& left, const Number& right) {
  if (left.real != right.real) return left.real < right.real;
  return left.imaginary < right.imaginary;
}

namespace {

Number rounded(ElementType type, Quad real, Quad imaginary = 0) {
  return {0, roundTo(type, real), roundTo(type, imaginary)};
}

Number combineAdd(ElementType type, const Number& a, const Number& b) {
  if (isFloat(type) || isComplex(type))
    return rounded(type, Quad(a.real) + b.real, Quad(a.imaginary) + b.imaginary);
  return {wrap(type, isPredicate(type) ? a.integer | b.integer : a.integer + b.integer)};
}

Number combineMultiply(ElementType type, const Number& a, const Number& b) {
  if (isComplex(type))
    return rounded(type, Quad(a.real) * b.real - Quad(a.imaginary) * b.imaginary,
                   Quad(a.real) * b.imaginary + Quad(a.imaginary) * b.real);
  if (isFloat(type)) return rounded(type, Quad(a.real) * b.real);
  // Modulo 2^128 is enough; unsigned products may exceed 127 bits.
  const auto product =
      static_cast<unsigned __int128>(a.integer) * static_cast<unsigned __int128>(b.integer);
  return {wrap(type, static_cast<Wide>(product))};
}

Number combineExtreme(ElementType type, const Number& a, const Number& b, bool larger) {
  if (isComplex(type)) return (larger ? complexLess(b, a) : complexLess(a, b)) ? a : b;
  if (!isFloat(type))
    return {larger ? std::max(a.integer, b.integer) : std::min(a.integer, b.integer)};
  if (std::isnan(a.real) || std::isnan(b.real)) return {0, kNan, 0};
  if (a.real == 0 && b.real == 0) return std::signbit(a.real) == larger ? b : a;
  return (larger ? a.real > b.real : a.real < b.real) ? a : b;
}

Number combineMax(ElementType type, const Number& a, const Number& b) {
  return combineExtreme(type, a, b, true);
}
Number combineMin(ElementType type, const Number& a, const Number& b) {
  return combineExtreme(type, a, b, false);
}
Number combineAnd(ElementType, const Number& a, const Number& b) { return {a.integer & b.integer}; }
Number combineOr(ElementType, const Number& a, const Number& b) { return {a.integer | b.integer}; }
Number combineXor(ElementType, const Number& a, const Number& b) { return {a.integer ^ b.integer}; }
Number combineReplace(ElementType, const Number&, const Number& b) { return b; }

// The missing parts of a number are 0.
bool holds(Ordering ordering, const Number& a, const Number& b) {
  std::partial_ordering order =
      std::tie(a.integer, a.real, a.imaginary) <=> std::tie(b.integer, b.real, b.imaginary);
  if (std::isnan(a.imaginary) || std::isnan(b.imaginary)) order = std::partial_ordering::unordered;
  switch (ordering) {
    case Ordering::kEq:
      return order == 0;
    case Ordering::kNe:
      return order != 0;
    case Ordering::kLt:
      return order < 0;
    case Ordering::kLe:
      return order <= 0;
    case Ordering::kGt:
      return order > 0;
    case Ordering::kGe:
      return order >= 0;
  }
  return false;
}

}  // namespace

Combine combineFunction(std::string_view function) {
  static constexpr std::pair<std::string_view, Combine> kTable[] = {
      {"add", combineAdd}, {"mul", combineMultiply},    {"max", combineMax},
      {"min", combineMin}, {"and", combineAnd},         {"or", combineOr},
      {"xor", combineXor}, {"replace", combineReplace},
  };
  for (const auto& [name, combine] : kTable)
    if (name == function) return combine;
  return nullptr;
}

Tensor applyComparison(Ordering ordering, const Tensor& left, const Tensor& right) {
  const Shape& shape = left.size() >= right.size() ? left.shape() : right.shape();
  return eachElement(ElementType::kI1, shape, [&](int64_t i) {
    return Number{holds(ordering, load(left, left.size() == 1 ? 0 : i),
                        load(right, right.size() == 1 ? 0 : i))};
  });
}

}  // namespace vintage::golden::oracle

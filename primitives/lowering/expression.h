// Single operations on values, and arithmetic, for lowerings that JAX itself writes as
// functions of its element-wise operations.
//
//   const SsaValue& x = arguments[0];
//   return (exp(x) - 1.0) / x;
//
// An operation is written as soon as it is formed, so the order of the text is
// that of evaluation: name a value before it is used twice. Operands have one
// type and shape; a number is its constant, broadcast.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "primitives/lowering/builder.h"

namespace vintage::primitives {

// An operation of one result, in the function of its operands.
SsaValue emitOne(TensorType result, std::string_view name, const Operands& operands,
                 golden::AttributeMap attributes = {}, std::vector<golden::Region> regions = {});
// Operands and result are of one type.
SsaValue same(std::string_view name, const Operands& operands);
inline SsaValue same(std::string_view name, const SsaValue& operand) {
  return same(name, Operands{operand});
}
inline SsaValue same(std::string_view name, const SsaValue& left, const SsaValue& right) {
  return same(name, Operands{left, right});
}
SsaValue convert(std::string_view name, const SsaValue& operand, golden::ElementType type,
                 golden::Shape shape);
SsaValue convert(const SsaValue& operand, golden::ElementType type);
SsaValue broadcast(const SsaValue& operand, std::span<const int64_t> dimensions,
                   golden::Shape shape);
inline SsaValue broadcast(const SsaValue& scalar, golden::Shape shape) {
  return broadcast(scalar, {}, std::move(shape));
}
golden::Shape leadingAxes(size_t count);  // 0, 1, …
SsaValue reshape(const SsaValue& operand, golden::Shape shape);
SsaValue transpose(const SsaValue& operand, std::span<const int64_t> permutation);
SsaValue reverse(const SsaValue& operand, const golden::Shape& dimensions);
SsaValue slice(const SsaValue& operand, const golden::Shape& start, const golden::Shape& limit,
               const golden::Shape& strides);
inline SsaValue slice(const SsaValue& operand, const golden::Shape& start,
                      const golden::Shape& limit) {
  return slice(operand, start, limit, golden::Shape(start.size(), 1));
}
// From `start` up to `limit` along one axis, everything along the others.
SsaValue sliceAlong(const SsaValue& operand, size_t axis, int64_t start, int64_t limit,
                    int64_t stride = 1);
// Element `index` of an array of rank one, as a scalar.
SsaValue element(const SsaValue& operand, int64_t index);
// With `value`, a scalar; negative edges remove elements.
SsaValue pad(const SsaValue& operand, const SsaValue& value, const golden::Shape& low,
             const golden::Shape& high, const golden::Shape& interior);
inline SsaValue pad(const SsaValue& operand, const SsaValue& value, const golden::Shape& low,
                    const golden::Shape& high) {
  return pad(operand, value, low, high, golden::Shape(low.size(), 0));
}
SsaValue concatenate(const Operands& operands, size_t dimension);
SsaValue dynamicSlice(const SsaValue& operand, const Operands& starts, golden::Shape sizes);
SsaValue dynamicUpdateSlice(const SsaValue& operand, const SsaValue& update,
                            const Operands& starts);
// The size along one dimension of a value, as the program finds it: a scalar of i32.
SsaValue dimensionSize(const SsaValue& operand, size_t dimension);
SsaValue realPart(const SsaValue& operand);
SsaValue imaginaryPart(const SsaValue& operand);
SsaValue complexOf(const SsaValue& real, const SsaValue& imaginary);
// A real value is its own conjugate.
SsaValue conjugated(const SsaValue& operand);
SsaValue isFinite(const SsaValue& operand);

SsaValue operator+(const SsaValue& a, const SsaValue& b);
SsaValue operator-(const SsaValue& a, const SsaValue& b);
SsaValue operator*(const SsaValue& a, const SsaValue& b);
SsaValue operator/(const SsaValue& a, const SsaValue& b);
inline SsaValue operator+(const SsaValue& a, double b) { return a + a.like(b); }
inline SsaValue operator-(const SsaValue& a, double b) { return a - a.like(b); }
inline SsaValue operator*(const SsaValue& a, double b) { return a * a.like(b); }
inline SsaValue operator/(const SsaValue& a, double b) { return a / a.like(b); }
inline SsaValue operator+(double a, const SsaValue& b) { return b.like(a) + b; }
inline SsaValue operator-(double a, const SsaValue& b) { return b.like(a) - b; }
inline SsaValue operator*(double a, const SsaValue& b) { return b.like(a) * b; }
inline SsaValue operator/(double a, const SsaValue& b) { return b.like(a) / b; }
SsaValue operator-(const SsaValue& a);

// Predicates, element by element. Direction "LT", …; without a kind, such as "TOTALORDER",
// the kind of the comparison follows from the element type.
SsaValue compare(std::string_view direction, const SsaValue& left, const SsaValue& right,
                 std::string_view kind = {});
inline SsaValue operator<(const SsaValue& a, const SsaValue& b) { return compare("LT", a, b); }
inline SsaValue operator>(const SsaValue& a, const SsaValue& b) { return compare("GT", a, b); }
inline SsaValue operator<=(const SsaValue& a, const SsaValue& b) { return compare("LE", a, b); }
inline SsaValue operator>=(const SsaValue& a, const SsaValue& b) { return compare("GE", a, b); }
inline SsaValue operator<(const SsaValue& a, double b) { return a < a.like(b); }
inline SsaValue operator>(const SsaValue& a, double b) { return a > a.like(b); }
inline SsaValue operator<=(const SsaValue& a, double b) { return a <= a.like(b); }
inline SsaValue operator>=(const SsaValue& a, double b) { return a >= a.like(b); }
inline SsaValue equal(const SsaValue& a, const SsaValue& b) { return compare("EQ", a, b); }
inline SsaValue equal(const SsaValue& a, double b) { return equal(a, a.like(b)); }
inline SsaValue isNan(const SsaValue& a) { return compare("NE", a, a); }
SsaValue operator&(const SsaValue& a, const SsaValue& b);
SsaValue operator|(const SsaValue& a, const SsaValue& b);
SsaValue operator!(const SsaValue& a);
SsaValue select(const SsaValue& predicate, const SsaValue& onTrue, const SsaValue& onFalse);
// Whether any element holds; a scalar is itself.
SsaValue any(const SsaValue& predicate);

inline SsaValue abs(const SsaValue& x) { return same("stablehlo.abs", x); }
inline SsaValue exp(const SsaValue& x) { return same("stablehlo.exponential", x); }
inline SsaValue log(const SsaValue& x) { return same("stablehlo.log", x); }
inline SsaValue log1p(const SsaValue& x) { return same("stablehlo.log_plus_one", x); }
inline SsaValue sqrt(const SsaValue& x) { return same("stablehlo.sqrt", x); }
// Of CHLO.
SsaValue lgamma(const SsaValue& x);
SsaValue digamma(const SsaValue& x);

}  // namespace vintage::primitives

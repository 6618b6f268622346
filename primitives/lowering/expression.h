// Arithmetic on values, for lowerings that JAX itself writes as functions of its
// element-wise operations.
//
//   const Expression x(main, arguments[0]);
//   return {(exp(x) - 1.0) / x};
//
// An operation is written as soon as it is formed, so the order of the text is
// that of evaluation: name a value before it is used twice. Operands have one
// type and shape; a number is its constant, broadcast.
#pragma once

#include <utility>

#include "primitives/lowering/builder.h"

namespace vintage::primitives {

class Expression {
 public:
  Expression(FunctionBuilder& builder, SsaValue value)
      : builder_(&builder), value_(std::move(value)) {}

  const SsaValue& value() const { return value_; }
  operator const SsaValue&() const { return value_; }
  golden::ElementType type() const { return value_.type; }
  const golden::Shape& shape() const { return value_.shape; }
  FunctionBuilder& builder() const { return *builder_; }

  // A number in this value's type and shape.
  Expression like(double number) const;
  // `%r = NAME %x`, with the operand's type.
  Expression apply(std::string_view name) const;
  Expression apply(std::string_view name, const Expression& other) const;
  Expression applyChlo(std::string_view name) const;
  Expression compare(std::string_view direction, const Expression& other) const;
  Expression to(golden::ElementType type) const;
  Expression broadcastTo(golden::Shape shape) const;  // For scalars.

 private:
  FunctionBuilder* builder_;
  SsaValue value_;
};

Expression operator+(const Expression& a, const Expression& b);
Expression operator-(const Expression& a, const Expression& b);
Expression operator*(const Expression& a, const Expression& b);
Expression operator/(const Expression& a, const Expression& b);
inline Expression operator+(const Expression& a, double b) { return a + a.like(b); }
inline Expression operator-(const Expression& a, double b) { return a - a.like(b); }
inline Expression operator*(const Expression& a, double b) { return a * a.like(b); }
inline Expression operator/(const Expression& a, double b) { return a / a.like(b); }
inline Expression operator+(double a, const Expression& b) { return b.like(a) + b; }
inline Expression operator-(double a, const Expression& b) { return b.like(a) - b; }
inline Expression operator*(double a, const Expression& b) { return b.like(a) * b; }
inline Expression operator/(double a, const Expression& b) { return b.like(a) / b; }
Expression operator-(const Expression& a);

// Predicates, element by element.
inline Expression operator<(const Expression& a, const Expression& b) { return a.compare("LT", b); }
inline Expression operator>(const Expression& a, const Expression& b) { return a.compare("GT", b); }
inline Expression operator<=(const Expression& a, const Expression& b) { return a.compare("LE", b); }
inline Expression operator>=(const Expression& a, const Expression& b) { return a.compare("GE", b); }
inline Expression operator<(const Expression& a, double b) { return a < a.like(b); }
inline Expression operator>(const Expression& a, double b) { return a > a.like(b); }
inline Expression operator<=(const Expression& a, double b) { return a <= a.like(b); }
inline Expression operator>=(const Expression& a, double b) { return a >= a.like(b); }
inline Expression equal(const Expression& a, const Expression& b) { return a.compare("EQ", b); }
inline Expression equal(const Expression& a, double b) { return equal(a, a.like(b)); }
inline Expression isNan(const Expression& a) { return a.compare("NE", a); }
Expression operator&(const Expression& a, const Expression& b);
Expression operator|(const Expression& a, const Expression& b);
Expression operator!(const Expression& a);
Expression select(const Expression& predicate, const Expression& onTrue, const Expression& onFalse);
// Whether any element holds; a scalar is itself.
Expression any(const Expression& predicate);

inline Expression abs(const Expression& x) { return x.apply("stablehlo.abs"); }
inline Expression exp(const Expression& x) { return x.apply("stablehlo.exponential"); }
inline Expression log(const Expression& x) { return x.apply("stablehlo.log"); }
inline Expression log1p(const Expression& x) { return x.apply("stablehlo.log_plus_one"); }
inline Expression sqrt(const Expression& x) { return x.apply("stablehlo.sqrt"); }
inline Expression lgamma(const Expression& x) { return x.applyChlo("lgamma"); }
inline Expression digamma(const Expression& x) { return x.applyChlo("digamma"); }

}  // namespace vintage::primitives

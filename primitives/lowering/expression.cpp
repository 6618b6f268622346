#include "primitives/lowering/expression.h"

#include "primitives/lowering/chlo/functions.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

Expression Expression::like(double number) const {
  return {*builder_, builder_->fill(value_.type, number, value_.shape)};
}

Expression Expression::apply(std::string_view name) const {
  return {*builder_, builder_->same(name, value_)};
}

Expression Expression::apply(std::string_view name, const Expression& other) const {
  return {*builder_, builder_->same(name, value_, other.value_)};
}

Expression Expression::applyChlo(std::string_view name) const {
  return {*builder_, chlo::elementwise(*builder_, name, {value_})};
}

Expression Expression::compare(std::string_view direction, const Expression& other) const {
  return {*builder_, builder_->compare(direction, value_, other.value_)};
}

Expression Expression::to(ElementType type) const {
  return {*builder_, builder_->convert(value_, type)};
}

Expression Expression::broadcastTo(Shape shape) const {
  if (shape.empty()) return *this;
  return {*builder_, builder_->broadcast(value_, std::move(shape))};
}

Expression operator+(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.add", b);
}
Expression operator-(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.subtract", b);
}
Expression operator*(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.multiply", b);
}
Expression operator/(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.divide", b);
}
Expression operator-(const Expression& a) { return a.apply("stablehlo.negate"); }
Expression operator&(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.and", b);
}
Expression operator|(const Expression& a, const Expression& b) {
  return a.apply("stablehlo.or", b);
}
Expression operator!(const Expression& a) { return a.apply("stablehlo.not"); }

Expression select(const Expression& predicate, const Expression& onTrue,
                  const Expression& onFalse) {
  return {predicate.builder(), predicate.builder().select(predicate, onTrue, onFalse)};
}

Expression any(const Expression& predicate) {
  if (predicate.shape().empty()) return predicate;
  return {predicate.builder(), reduceAll(predicate.builder(), "or", predicate)};
}

}  // namespace vintage::primitives

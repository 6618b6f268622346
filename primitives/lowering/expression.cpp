#include "primitives/lowering/expression.h"

#include "primitives/lowering/fold.h"

namespace vintage::primitives::lowering {

Expression Expression::like(double number) const {
  return {*writer_, writer_->fill(value_.type, number, value_.shape)};
}

Expression Expression::apply(std::string_view name) const {
  return {*writer_, writer_->same(name, value_)};
}

Expression Expression::apply(std::string_view name, const Expression& other) const {
  return {*writer_, writer_->same(name, value_, other.value_)};
}

Expression Expression::applyChlo(std::string_view name) const {
  const TensorType result{value_.type, value_.shape};
  return {*writer_, writer_->chlo(name, {&value_, 1}, {&result, 1}).front()};
}

Expression Expression::compare(std::string_view direction, const Expression& other) const {
  return {*writer_, writer_->compare(direction, value_, other.value_)};
}

Expression Expression::to(ElementType type) const {
  return {*writer_, writer_->convert(value_, type)};
}

Expression Expression::broadcastTo(Shape shape) const {
  if (shape.empty()) return *this;
  return {*writer_, writer_->broadcast(value_, std::move(shape))};
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
  return {predicate.writer(), predicate.writer().select(predicate, onTrue, onFalse)};
}

Expression any(const Expression& predicate) {
  if (predicate.shape().empty()) return predicate;
  Shape all;
  for (size_t i = 0; i < predicate.shape().size(); ++i) all.push_back(static_cast<int64_t>(i));
  return {predicate.writer(), reduceAlong(predicate.writer(), "or", predicate, all)};
}

}  // namespace vintage::primitives::lowering

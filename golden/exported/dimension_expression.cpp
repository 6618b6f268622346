#include "golden/exported/dimension_expression.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::golden {
namespace {

bool add(int64_t a, int64_t b, int64_t& to) { return !__builtin_add_overflow(a, b, &to); }
bool multiply(int64_t a, int64_t b, int64_t& to) { return !__builtin_mul_overflow(a, b, &to); }

// Rounded down, as Python divides.
bool floorDivide(int64_t a, int64_t b, int64_t& to) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  to = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  return true;
}

bool modulo(int64_t a, int64_t b, int64_t& to) {
  if (b == 0) return false;
  to = b == -1 ? 0 : a % b;
  if (to != 0 && (to < 0) != (b < 0)) to += b;
  return true;
}

// By squaring, so that a large exponent costs no more than its bits. False where it overflows.
bool raise(int64_t base, int64_t exponent, int64_t& to) {
  to = 1;
  while (true) {
    if (exponent % 2 != 0 && !multiply(to, base, to)) return false;
    exponent /= 2;
    // The last square is not needed, and may overflow when the power does not.
    if (exponent == 0) return true;
    if (!multiply(base, base, base)) return false;
  }
}

}  // namespace

bool DimensionExpression::combine(Kind kind, int64_t a, int64_t b, int64_t& to) {
  if (kind == Kind::kAdd) return add(a, b, to);
  if (kind == Kind::kMultiply) return multiply(a, b, to);
  if (kind == Kind::kFloorDivide) return floorDivide(a, b, to);
  if (kind == Kind::kModulo) return modulo(a, b, to);
  to = kind == Kind::kMax ? std::max(a, b) : std::min(a, b);
  return true;
}

Result<int64_t> DimensionExpression::evaluate(const DimensionValues& values) const {
  if (kind_ == Kind::kNumber) return number_;
  if (kind_ == Kind::kVariable) {
    const auto found = values.find(variable_);
    if (found == values.end())
      return badInput("the dimension variable '{}' has no value", variable_);
    return found->second;
  }
  Result<int64_t> result = operands_.front().evaluate(values);
  if (kind_ == Kind::kPower && result) {
    int64_t power = 0;
    if (!raise(*result, number_, power))
      return badInput("a dimension overflows at {}^{}", *result, number_);
    return power;
  }
  for (size_t i = 1; result && i < operands_.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t next, operands_[i].evaluate(values));
    int64_t combined = 0;
    if (!combine(kind_, *result, next, combined))
      return failure(Error::Kind::kBadInput,
                     next == 0 ? "a dimension is divided by zero"
                               : fmt::format("a dimension overflows at {} and {}", *result, next));
    result = combined;
  }
  return result;
}

std::set<std::string, std::less<>> DimensionExpression::variables() const {
  std::set<std::string, std::less<>> names;
  if (kind_ == Kind::kVariable) names.insert(variable_);
  for (const DimensionExpression& operand : operands_) names.merge(operand.variables());
  return names;
}

std::optional<DimensionExpression::Linear> DimensionExpression::linearIn(
    std::string_view variable, const DimensionValues& values) const {
  if (kind_ == Kind::kVariable && variable_ == variable) return Linear{1, 0};
  if (kind_ == Kind::kPower && number_ == 1) return operands_.front().linearIn(variable, values);
  if (kind_ == Kind::kAdd || kind_ == Kind::kMultiply) {
    std::optional<Linear> result = operands_.front().linearIn(variable, values);
    for (size_t i = 1; result && i < operands_.size(); ++i) {
      const std::optional<Linear> next = operands_[i].linearIn(variable, values);
      if (!next) return std::nullopt;
      Linear combined;
      if (kind_ == Kind::kAdd) {
        if (!add(result->factor, next->factor, combined.factor) ||
            !add(result->offset, next->offset, combined.offset))
          return std::nullopt;
      } else {
        if (result->factor != 0 && next->factor != 0) return std::nullopt;
        const Linear& constant = result->factor == 0 ? *result : *next;
        const Linear& other = result->factor == 0 ? *next : *result;
        if (!multiply(constant.offset, other.factor, combined.factor) ||
            !multiply(constant.offset, other.offset, combined.offset))
          return std::nullopt;
      }
      result = combined;
    }
    return result;
  }
  const Result<int64_t> constant = evaluate(values);
  return constant ? std::optional(Linear{0, *constant}) : std::nullopt;
}

namespace {

// The only variable without a value, if there is exactly one.
std::optional<std::string> onlyUnknown(const DimensionExpression& expression,
                                       const DimensionValues& values) {
  std::optional<std::string> unknown;
  for (const std::string& variable : expression.variables()) {
    if (values.contains(variable)) continue;
    if (unknown) return std::nullopt;
    unknown = variable;
  }
  return unknown;
}

}  // namespace

Result<DimensionValues> solveDimensions(std::span<const DimensionEquation> equations) {
  DimensionValues values;
  // Each round finds at least one variable or is the last.
  for (bool found = true; found;) {
    found = false;
    for (const DimensionEquation& equation : equations) {
      const std::optional<std::string> unknown = onlyUnknown(equation.expression, values);
      if (!unknown) continue;
      const auto linear = equation.expression.linearIn(*unknown, values);
      if (!linear || linear->factor == 0) continue;
      int64_t rest = 0;
      if (__builtin_sub_overflow(equation.value, linear->offset, &rest) ||
          (rest == INT64_MIN && linear->factor == -1) || rest % linear->factor != 0)
        return badInput("{} is {}, which no integer '{}' gives ({}*{} + {})", equation.place,
                        equation.value, *unknown, linear->factor, *unknown, linear->offset);
      const int64_t value = rest / linear->factor;
      if (value < 1)
        return badInput(
            "{} is {}, so that the dimension variable '{}' would be {}; "
            "it must be 1 or more",
            equation.place, equation.value, *unknown, value);
      values.emplace(*unknown, value);
      found = true;
    }
  }
  for (const DimensionEquation& equation : equations) {
    std::vector<std::string> missing;
    for (const std::string& variable : equation.expression.variables())
      if (!values.contains(variable)) missing.push_back(variable);
    if (!missing.empty())
      return unsupported(
          "the shapes of the inputs do not determine the dimension variables {}: no dimension has "
          "one of them alone and linearly",
          fmt::join(missing, ", "));
    ASSIGN_OR_RETURN(const int64_t computed,
                     within(equation.place, equation.expression.evaluate(values)));
    if (computed != equation.value) {
      std::vector<std::string> assignments;
      for (const auto& [name, value] : values)
        assignments.push_back(fmt::format("{} = {}", name, value));
      return badInput("{} is {}, but must be {} where {}", equation.place, equation.value, computed,
                      assignments.empty() ? "it is a fixed dimension"
                                          : fmt::format("{}", fmt::join(assignments, ", ")));
    }
  }
  return values;
}

}  // namespace vintage::golden

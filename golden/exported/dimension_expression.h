// JAX's symbolic dimensions: "2*h + 1", "floordiv(a, 2)", "max(a, b) - 3".
//
//   sum     := ['-'] product (('+' | '-') product)*
//   product := power ('*' power)*
//   power   := atom ['^' integer], the integer 1 or more
//   atom    := integer | variable | '(' sum ')' | operation '(' sum, … ')'
//   operation: floordiv, mod (as in Python: rounded down, the remainder has the
//   sign of the divisor), max, min, non_negative(x) = max(x, 0)
//
// Numbers are 64-bit; an overflow or a division by zero is an error of the evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"

namespace vintage::golden {

using DimensionValues = std::map<std::string, int64_t, std::less<>>;

class DimensionExpression {
 public:
  static Result<DimensionExpression> parse(std::string_view text);

  // Every variable needs a value.
  Result<int64_t> evaluate(const DimensionValues& values) const;
  // Sorted, as dimension variables are passed to inner functions.
  std::set<std::string, std::less<>> variables() const;

  // The expression as factor * variable + offset, where every other variable has a value. None if
  // it does not have that form (the variable is inside floordiv, is multiplied with itself, …).
  struct Linear {
    int64_t factor = 0, offset = 0;
  };
  std::optional<Linear> linearIn(std::string_view variable, const DimensionValues& values) const;

 private:
  friend class DimensionParser;
  enum class Kind {
    kNumber,
    kVariable,
    kAdd,
    kMultiply,
    kPower,
    kFloorDivide,
    kModulo,
    kMax,
    kMin
  };
  // False where the result is no 64-bit number.
  static bool combine(Kind kind, int64_t a, int64_t b, int64_t& to);
  Kind kind_ = Kind::kNumber;
  int64_t number_ = 0;  // Or the exponent of a power.
  std::string variable_;
  std::vector<DimensionExpression> operands_;
};

// One dimension of an input: its expression in the shape, and the size that was passed.
struct DimensionEquation {
  DimensionExpression expression;
  int64_t value = 0;
  std::string place;  // "dimension 1 of input 0 ('2*h')", for messages.
};

// The values of all variables, each 1 or more. As in JAX, a dimension determines a variable if it
// is the only unknown in it and appears linearly. Fails if a value does not fit every equation, or
// if none determines a variable.
Result<DimensionValues> solveDimensions(std::span<const DimensionEquation> equations);

}  // namespace vintage::golden

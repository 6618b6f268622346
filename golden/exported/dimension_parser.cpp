#include "golden/exported/dimension_expression.h"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::golden {
namespace {

constexpr int kDeepest = 100;

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

class DimensionParser {
 public:
  explicit DimensionParser(std::string_view text) : text_(text) {}

  Result<DimensionExpression> parse() {
    DimensionExpression expression;
    if (sum(expression) && peek() != '\0')
      fail(fmt::format("'{}' is not expected there", text_[position_]));
    if (!problem_.empty())
      return badInput("the dimension '{}' cannot be read at its character {}: {}", text_, position_,
                      problem_);
    return expression;
  }

 private:
  using Kind = DimensionExpression::Kind;

  // Each returns false after an error, which is in problem_.
  bool sum(DimensionExpression& to) {
    if (++depth_ > kDeepest) return fail("it is nested too deep");
    const bool negated = take('-');
    if (!product(to)) return false;
    if (negated) to = combine(Kind::kMultiply, number(-1), std::move(to));
    while (true) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      DimensionExpression next;
      if (!product(next)) return false;
      if (!plus) next = combine(Kind::kMultiply, number(-1), std::move(next));
      if (to.kind_ == Kind::kAdd)  // Kept flat, so that long sums are not deep.
        to.operands_.push_back(std::move(next));
      else
        to = combine(Kind::kAdd, std::move(to), std::move(next));
    }
    --depth_;
    return true;
  }

  bool product(DimensionExpression& to) {
    if (!power(to)) return false;
    while (take('*')) {
      DimensionExpression next;
      if (!power(next)) return false;
      if (to.kind_ == Kind::kMultiply)
        to.operands_.push_back(std::move(next));
      else
        to = combine(Kind::kMultiply, std::move(to), std::move(next));
    }
    return true;
  }

  bool power(DimensionExpression& to) {
    if (!atom(to)) return false;
    if (!take('^')) return true;
    int64_t exponent = 0;
    if (!integer(exponent)) return false;
    // JAX writes any exponent: whether the power fits 64 bits depends on the base.
    if (exponent < 1) return fail("an exponent must be 1 or more");
    DimensionExpression raised;
    raised.kind_ = Kind::kPower;
    raised.number_ = exponent;
    raised.operands_.push_back(std::move(to));
    to = std::move(raised);
    return true;
  }

  bool atom(DimensionExpression& to) {
    const char next = peek();
    if (take('(')) return sum(to) && (take(')') || fail("expected ')'"));
    if (std::isdigit(static_cast<unsigned char>(next)) || next == '-') {
      const bool negative = take('-');
      int64_t value = 0;
      if (!integer(value)) return false;
      to = number(negative ? -value : value);
      return true;
    }
    if (!std::isalpha(static_cast<unsigned char>(next)) && next != '_')
      return fail("expected a number, a variable or an operation");
    const size_t begin = position_;
    while (position_ < text_.size() && isNameCharacter(text_[position_])) ++position_;
    const std::string_view name = text_.substr(begin, position_ - begin);
    if (peek() == '(') return operation(name, to);
    to = {};
    to.kind_ = Kind::kVariable;
    to.variable_ = name;
    return true;
  }

  bool operation(std::string_view name, DimensionExpression& to) {
    const size_t begin = position_;
    take('(');
    std::vector<DimensionExpression> operands;
    do {
      if (!sum(operands.emplace_back())) return false;
    } while (take(','));
    if (!take(')')) return fail("expected ',' or ')'");
    const auto binary = [&](Kind kind) {
      if (operands.size() != 2) return fail(fmt::format("{} takes two operands", name));
      to = combine(kind, std::move(operands[0]), std::move(operands[1]));
      return true;
    };
    if (name == "floordiv") return binary(Kind::kFloorDivide);
    if (name == "mod") return binary(Kind::kModulo);
    if (name == "max") return binary(Kind::kMax);
    if (name == "min") return binary(Kind::kMin);
    if (name == "non_negative" && operands.size() == 1) {
      to = combine(Kind::kMax, std::move(operands[0]), number(0));
      return true;
    }
    position_ = begin;
    return fail(
        fmt::format("'{}' with {} operands is not an operation; floordiv, mod, max, min and "
                    "non_negative are",
                    name, operands.size()));
  }

  bool integer(int64_t& to) {
    peek();
    const char* begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), to);
    if (error != std::errc() || to < 0) return fail("expected an integer below 2^63");
    position_ += static_cast<size_t>(end - begin);
    return true;
  }

  static DimensionExpression number(int64_t value) {
    DimensionExpression expression;
    expression.number_ = value;
    return expression;
  }

  static DimensionExpression combine(Kind kind, DimensionExpression a, DimensionExpression b) {
    DimensionExpression expression;
    expression.kind_ = kind;
    expression.operands_.push_back(std::move(a));
    expression.operands_.push_back(std::move(b));
    return expression;
  }

  bool take(char expected) {
    if (peek() != expected) return false;
    ++position_;
    return true;
  }

  char peek() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
    return false;
  }

  std::string_view text_;
  size_t position_ = 0;
  int depth_ = 0;
  std::string problem_;
};

Result<DimensionExpression> DimensionExpression::parse(std::string_view text) {
  return DimensionParser(text).parse();
}

}  // namespace vintage::golden

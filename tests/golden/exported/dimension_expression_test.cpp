#include "golden/exported/dimension_expression.h"

#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

int64_t value(std::string_view text, const DimensionValues& values) {
  const auto expression = DimensionExpression::parse(text);
  EXPECT_TRUE(expression) << expression.error().message;
  const auto result = expression->evaluate(values);
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

TEST(DimensionExpression, Evaluates) {
  const DimensionValues values{{"a", 7}, {"b", 3}, {"_x1", 2}};
  EXPECT_EQ(value("5", values), 5);
  EXPECT_EQ(value(" 2*a + -1*b", values), 11);
  EXPECT_EQ(value("-a + 2*b - 1", values), -2);
  EXPECT_EQ(value("a - b - 1", values), 3);
  EXPECT_EQ(value("-2^2", values), -4);
  EXPECT_EQ(value("a^2*b^1*_x1", values), 294);
  EXPECT_EQ(value("(a + b)*(a - b)", values), 40);
  EXPECT_EQ(value("max(a, b) - min(a, b)", values), 4);
  EXPECT_EQ(value("non_negative(b - a)", values), 0);
  EXPECT_EQ(value("floordiv(a + 1, 2) * mod(a, b)", values), 4);
}

TEST(DimensionExpression, DividesAsPythonDoes) {
  // floordiv(n, d) and mod(n, d) by Python 3.
  const struct {
    int n, d, quotient, remainder;
  } cases[] = {{7, 2, 3, 1},    {-7, 2, -4, 1}, {7, -2, -4, -1},
               {-7, -2, 3, -1}, {6, -3, -2, 0}, {0, -3, 0, 0}};
  for (const auto& c : cases) {
    EXPECT_EQ(value(fmt::format("floordiv({}, {})", c.n, c.d), {}), c.quotient);
    EXPECT_EQ(value(fmt::format("mod({}, {})", c.n, c.d), {}), c.remainder);
  }
}

TEST(DimensionExpression, ReportsWhatItCannotRead) {
  for (const char* text : {"", "2*", "a b", "(a", "a)", "foo(a)", "max(a)", "mod(a, b, c)", "a^0",
                           "a^-1", "99999999999999999999", "a//2", "2a", "*", "a+", "é"}) {
    const auto expression = DimensionExpression::parse(text);
    ASSERT_FALSE(expression) << text;
    EXPECT_EQ(expression.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(expression.error().message, HasSubstr(text));
  }
  EXPECT_FALSE(DimensionExpression::parse(std::string(100000, '(')));
}

TEST(DimensionExpression, OverflowAndDivisionByZeroAreErrors) {
  for (const char* text : {"a*a", "a + a", "a^2", "floordiv(a, a - a)", "mod(a, 0)", "b"}) {
    const auto result = DimensionExpression::parse(text)->evaluate({{"a", INT64_MAX}});
    EXPECT_FALSE(result) << text;
  }
}

// The reader rejected every exponent above 62, and with it whole artifacts. JAX writes any
// exponent, and an artifact with the dimension a^100000000 runs for a = 1.
TEST(DimensionExpression, ExponentsMayBeLarge) {
  EXPECT_EQ(value("a^100000000", {{"a", 1}}), 1);
  EXPECT_EQ(value("a^9223372036854775807", {{"a", 0}}), 0);
  EXPECT_EQ(value("a^9223372036854775807", {{"a", -1}}), -1);
  EXPECT_EQ(value("a^62", {{"a", 2}}), int64_t{1} << 62);
  EXPECT_EQ(value("a^63", {{"a", -2}}), INT64_MIN);
  EXPECT_EQ(value("a^39", {{"a", 3}}), 4052555153018976267);
  for (const auto& [text, base] : {std::pair("a^100000000", 2), {"a^63", 2}, {"a^40", 3}}) {
    const auto result = DimensionExpression::parse(text)->evaluate({{"a", base}});
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, Error::Kind::kBadInput);
    EXPECT_THAT(result.error().message, HasSubstr("overflows"));
  }
}

DimensionEquation equation(std::string_view text, int64_t value) {
  return {*DimensionExpression::parse(text), value, fmt::format("dimension '{}'", text)};
}

TEST(SolveDimensions, FindsLinearVariablesInAnyOrder) {
  const DimensionEquation equations[] = {equation("floordiv(h, 2) + w", 8), equation("2*h + w", 17),
                                         equation("w", 5), equation("h*w", 30), equation("3", 3)};
  const auto solved = solveDimensions(equations);
  ASSERT_TRUE(solved) << solved.error().message;
  EXPECT_EQ(*solved, (DimensionValues{{"h", 6}, {"w", 5}}));
  // Each needs the next one: a single pass over them found only the last.
  const DimensionEquation backwards[] = {equation("a + b", 3), equation("b + c", 5),
                                         equation("c", 3)};
  const auto last = solveDimensions(backwards);
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(*last, (DimensionValues{{"a", 1}, {"b", 2}, {"c", 3}}));
}

TEST(SolveDimensions, ErrorsSayWhichDimension) {
  const auto problem = [](std::vector<DimensionEquation> equations) {
    const auto solved = solveDimensions(equations);
    return solved ? "solved" : solved.error().message;
  };
  EXPECT_THAT(problem({equation("2*h", 7)}),
              HasSubstr("dimension '2*h' is 7, which no integer 'h' gives"));
  EXPECT_THAT(problem({equation("h - 3", -3)}), HasSubstr("'h' would be 0"));
  EXPECT_THAT(problem({equation("h", 4), equation("h + 1", 6)}),
              HasSubstr("must be 5 where h = 4"));
  EXPECT_THAT(problem({equation("4", 6)}), HasSubstr("must be 4"));
  EXPECT_THAT(problem({equation("mod(h, 3)", 1)}), HasSubstr("variables h"));
  EXPECT_THAT(problem({equation("a + b", 3)}), HasSubstr("variables a, b"));
}

TEST(SolveDimensions, FindsWhatRandomShapesWereMadeFrom) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const DimensionValues expected{{"a", 1 + random() % 50}, {"b", 1 + random() % 50}};
    const int64_t factor = 1 + static_cast<int64_t>(random() % 9);
    const std::vector<std::string> texts = {
        fmt::format("{}*a + {}", factor, random() % 5), fmt::format("a*{} - b", random() % 7),
        fmt::format("max(a, b) + a*b"), fmt::format("mod(a + b, {})", 1 + random() % 6),
        fmt::format("{}*b", factor)};
    std::vector<DimensionEquation> equations;
    for (const std::string& text : texts) {
      const auto expression = DimensionExpression::parse(text);
      equations.push_back({*expression, *expression->evaluate(expected), text});
    }
    std::shuffle(equations.begin(), equations.end(), random);
    const auto solved = solveDimensions(equations);
    ASSERT_TRUE(solved) << solved.error().message;
    EXPECT_EQ(*solved, expected);
    equations[random() % equations.size()].value += 1000;
    EXPECT_FALSE(solveDimensions(equations));
  }
}

}  // namespace
}  // namespace vintage::tests

// Integers of a program with dynamic dimensions that are known once its sizes are.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/program/static_text.h"

namespace vintage::tests {
namespace {

using namespace tests::static_shapes;
using testing::HasSubstr;

// Integers that are known: one operation on constants each, and its value.
struct Folded {
  const char* name;
  const char* body;
  const char* type;
  const char* expected;
};

class FoldedInteger : public testing::TestWithParam<Folded> {};

TEST_P(FoldedInteger, IsTheConstant) {
  const Folded& folded = GetParam();
  const std::string constants =
      "%a = stablehlo.constant dense<[-7, 8]> : tensor<2xi32>\n"
      "%b = stablehlo.constant dense<[2, -3]> : tensor<2xi32>\n"
      "%u = stablehlo.constant dense<[4294967289, 8]> : tensor<2xui32>\n"
      "%v = stablehlo.constant dense<[2, 3]> : tensor<2xui32>\n"
      "%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n";
  const std::string text =
      staticText(mainOf("", constants + "%r = stablehlo." + folded.body, folded.type), {});
  // The operations that computed it are gone.
  EXPECT_EQ(std::ranges::count(text, '='), 1) << text;
  EXPECT_THAT(text, HasSubstr(std::string("stablehlo.constant dense<") + folded.expected +
                              "> : " + folded.type));
}

const Folded kFolded[] = {
    {"add", "add %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-5, 5]"},
    {"subtract", "subtract %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-9, 11]"},
    {"multiply", "multiply %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-14, -24]"},
    {"divide", "divide %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-3, -2]"},
    {"divide_unsigned", "divide %u, %v : tensor<2xui32>", "tensor<2xui32>", "[2147483644, 2]"},
    {"remainder", "remainder %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-1, 2]"},
    {"maximum", "maximum %a, %b : tensor<2xi32>", "tensor<2xi32>", "[2, 8]"},
    {"minimum", "minimum %a, %b : tensor<2xi32>", "tensor<2xi32>", "[-7, -3]"},
    {"minimum_unsigned", "minimum %u, %v : tensor<2xui32>", "tensor<2xui32>", "[2, 3]"},
    {"negate", "negate %a : tensor<2xi32>", "tensor<2xi32>", "[7, -8]"},
    {"abs", "abs %a : tensor<2xi32>", "tensor<2xi32>", "[7, 8]"},
    {"sign", "sign %a : tensor<2xi32>", "tensor<2xi32>", "[-1, 1]"},
    {"not", "not %p : tensor<2xi1>", "tensor<2xi1>", "[false, true]"},
    {"convert_signed", "convert %a : (tensor<2xi32>) -> tensor<2xi64>", "tensor<2xi64>", "[-7, 8]"},
    {"convert_unsigned", "convert %u : (tensor<2xui32>) -> tensor<2xi64>", "tensor<2xi64>",
     "[4294967289, 8]"},
    {"convert_predicate", "convert %p : (tensor<2xi1>) -> tensor<2xi32>", "tensor<2xi32>",
     "[1, 0]"},
    {"compare", "compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>",
     "tensor<2xi1>", "[true, false]"},
    {"select", "select %p, %a, %b : tensor<2xi1>, tensor<2xi32>", "tensor<2xi32>", "[-7, -3]"},
    {"reshape", "reshape %a : (tensor<2xi32>) -> tensor<2x1xi32>", "tensor<2x1xi32>",
     "[[-7], [8]]"},
    {"slice", "slice %a [1:2] : (tensor<2xi32>) -> tensor<1xi32>", "tensor<1xi32>", "8"},
    {"concatenate", "concatenate %a, %b, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>",
     "tensor<4xi32>", "[-7, 8, 2, -3]"},
    {"broadcast_in_dim", "broadcast_in_dim %a, dims = [1] : (tensor<2xi32>) -> tensor<2x2xi32>",
     "tensor<2x2xi32>", "[[-7, 8], [-7, 8]]"},
    {"iota", "iota dim = 1 : tensor<2x3xi32>", "tensor<2x3xi32>", "[[0, 1, 2], [0, 1, 2]]"},
};

INSTANTIATE_TEST_SUITE_P(All, FoldedInteger, testing::ValuesIn(kFolded),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(StaticShapes, ADivisionByZeroIsLeftToTheEngine) {
  const std::string text = staticText(mainOf("",
                                             "%a = stablehlo.constant dense<5> : tensor<i32>\n"
                                             "%b = stablehlo.constant dense<0> : tensor<i32>\n"
                                             "%r = stablehlo.divide %a, %b : tensor<i32>",
                                             "tensor<i32>"),
                                      {});
  EXPECT_THAT(text, HasSubstr("stablehlo.divide"));
}

}  // namespace
}  // namespace vintage::tests

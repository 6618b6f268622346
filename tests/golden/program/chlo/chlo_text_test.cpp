// CHLO's operations: text prints the same after it is read.
#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

class ChloText : public testing::TestWithParam<const char*> {};

TEST_P(ChloText, RoundTrips) {
  ProgramContext context;
  const std::string text = std::string(
                               "module {\n"
                               "  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, "
                               "%arg2: tensor<8xf32>) {\n"
                               "    ") +
                           GetParam() + "\n    return\n  }\n}\n";
  auto program = context.parseText(text, "chlo.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->print(), text);
}

INSTANTIATE_TEST_SUITE_P(
    , ChloText,
    testing::Values(
        "%0 = chlo.acos %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>",
        "%0 = chlo.bessel_i1e %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>",
        "%0 = chlo.is_inf %arg0 : tensor<4x8xf32> -> tensor<4x8xi1>",
        "%0 = chlo.square %arg0 : tensor<4x8xf32> -> tensor<4x8xf32>",
        "%0 = chlo.next_after %arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>",
        "%0 = chlo.zeta %arg0, %arg1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>",
        "%0 = chlo.broadcast_add %arg0, %arg2 {broadcast_dimensions = array<i64: 1>} : "
        "(tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>",
        "%0 = chlo.broadcast_compare %arg0, %arg2 {comparison_direction = "
        "#chlo<comparison_direction NE>} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>",
        "%0 = chlo.broadcast_compare %arg0, %arg2 {compare_type = #chlo<comparison_type "
        "WEAKORDER>, "
        "comparison_direction = #chlo<comparison_direction LT>} : (tensor<4x8xf32>, tensor<8xf32>) "
        "-> "
        "tensor<4x8xi1>",
        "%values, %indices = chlo.top_k(%arg0, k = 2) : tensor<4x8xf32> -> "
        "(tensor<4x2xf32>, tensor<4x2xi32>)"));

TEST(ChloVerifier, AConstantOfAnotherTypeIsRefused) {
  ProgramContext context;
  auto program = context.parseText(
      "func.func @main() -> tensor<2xf32> {\n"
      "  %0 = \"chlo.constant\"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<2xf32>\n"
      "  return %0 : tensor<2xf32>\n}\n",
      "constant.mlir");
  EXPECT_FALSE(program);
}

}  // namespace
}  // namespace vintage::tests

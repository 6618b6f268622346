// Shardy's operations and attributes: text prints the same after it is read.
#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

void expectRoundTrip(const std::string& text) {
  ProgramContext context;
  auto program = context.parseText(text, "sdy.mlir");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(program->print(), text);
}

TEST(SdyText, OperationsRoundTrip) {
  expectRoundTrip(R"(module {
  sdy.mesh @none = <[]>
  sdy.mesh @one = <[], device_ids=[3]>
  sdy.mesh @grid = <["x"=2, "y"=4]>
  sdy.mesh @reversed = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @constraint(%arg0: tensor<16x8xf32>) -> tensor<16x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@grid, [{}, {"x"}], replicated={"y"}> : tensor<16x8xf32>
    %1 = sdy.reshard %0 <@grid, [{"x", ?}, {?}]> : tensor<16x8xf32>
    sdy.sharding_group %1 group_id=21 : tensor<16x8xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<16x8xf32>
    return %2 : tensor<16x8xf32>
  }
  func.func @manual(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@grid, [{"x", ?}, {?}]>] out_shardings=[<@grid, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<8x32xf32>) {
      sdy.return %arg1 : tensor<8x32xf32>
    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
  func.func @named(%arg0: tensor<8xi32>) -> tensor<8xi32> {
    %0 = sdy.named_computation<"inner">(%arg0) (%arg1: tensor<8xi32>) {
      sdy.return %arg1 : tensor<8xi32>
    } : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
}
)");
}

TEST(SdyText, AttributesRoundTrip) {
  expectRoundTrip(R"(module {
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x":(1)2}p0, {"y"}p12]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{}], unreduced=max{"x"}>}) {
    %0:2 = stablehlo.custom_call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", "y"}]>, <@grid, []>]>} : (tensor<8x8xf32>) -> (tensor<8xf32>, tensor<f32>)
    %1 = stablehlo.custom_call @g(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=8, j=8} reduction={j}, custom>} : (tensor<8x8xf32>) -> tensor<64xf32>
    return %0#0 : tensor<8xf32>
  }
}
)");
}

TEST(SdyText, FactorsBeyondZAreNumbered) {
  // 18 letters from i to z, then z_1 and z_2.
  std::string names, sizes;
  const std::string letters = "ijklmnopqrstuvwxyz";
  for (char letter : letters) {
    names += std::string(names.empty() ? "" : ", ") + letter;
    sizes += std::string(sizes.empty() ? "" : ", ") + letter + "=2";
  }
  const std::string type = "tensor<" + [] {
    std::string dimensions;
    for (int i = 0; i < 20; ++i) dimensions += "2x";
    return dimensions;
  }() + "f32>";
  expectRoundTrip("module {\n  func.func @main(%arg0: " + type + ") -> " + type +
                  " {\n    %0 = stablehlo.custom_call @f(%arg0) {sdy.sharding_rule = "
                  "#sdy.op_sharding_rule<([" +
                  names + ", z_1, z_2])->([" + names + ", z_1, z_2]) {" + sizes +
                  ", z_1=2, z_2=2}>} : (" + type + ") -> " + type + "\n    return %0 : " + type +
                  "\n  }\n}\n");
}

TEST(SdyText, MistakesAreErrors) {
  ProgramContext context;
  for (const char* attribute :
       {"#sdy.sharding<@m>", "#sdy.sharding<@m, [{\"x\"}q1]>", "#sdy.sharding<@m, [{?, \"x\"}]>",
        "#sdy.mesh<[\"x\"]>", "#sdy.op_sharding_rule<([a])->([i]) {i=2}>",
        "#sdy.op_sharding_rule<([i])->([i]) {j=2}>",
        "#sdy.op_sharding_rule<([z_99999999999999999999])->([i]) {i=2}>"}) {
    auto program = context.parseText(std::string("module attributes {x.y = ") + attribute + "} {}",
                                     "wrong.mlir");
    EXPECT_FALSE(program) << attribute;
  }
}

}  // namespace
}  // namespace vintage::tests

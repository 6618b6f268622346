// Two equivalent programs have one canonical form, and a single difference shows.
#include "golden/module/module_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

std::vector<std::string> formOf(const std::string& text) {
  ProgramContext context;
  const auto program = context.parseText(text, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  if (!program) return {};
  const auto tree = program->tree();
  EXPECT_TRUE(tree) << tree.error().message;
  return tree ? canonicalForm(*tree) : std::vector<std::string>{};
}

constexpr const char* kHalved = R"(
  module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
    func.func public @main(%x: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
      %two = stablehlo.constant dense<2.0> : tensor<2xf32>
      %0 = call @halved(%x, %two) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @halved(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.divide %x, %y : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  })";

TEST(CanonicalForm, NamesPlacesOfConstantsAndTheOrderOfFunctionsDoNotCount) {
  EXPECT_EQ(formOf(kHalved), formOf(R"(
    module @other attributes {mhlo.num_partitions = 1 : i32} {
      func.func private @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
        %c = stablehlo.divide %a, %b : tensor<2xf32>
        return %c : tensor<2xf32>
      }
      func.func private @never_called() { return }
      func.func public @main(%arg: tensor<2xf32>) -> (tensor<2xf32> {jax.result_info = "[0]"}) {
        %unused = stablehlo.constant dense<7.0> : tensor<2xf32>
        %c = stablehlo.constant dense<[2.0, 2.0]> : tensor<2xf32>
        %d = call @f(%arg, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
        return %d : tensor<2xf32>
      }
    })"));
}

TEST(CanonicalForm, OperationsTypesAttributesOperandsAndConstantsCount) {
  const std::vector<std::string> halved = formOf(kHalved);
  const auto changed = [](std::string from, std::string to) {
    std::string text = kHalved;
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
    return formOf(text);
  };
  EXPECT_NE(halved, changed("stablehlo.divide", "stablehlo.multiply"));
  EXPECT_NE(halved, changed("tensor<2xf32>", "tensor<3xf32>"));
  EXPECT_NE(halved, changed("num_partitions = 1", "num_partitions = 2"));
  EXPECT_NE(halved, changed("divide %x, %y", "divide %y, %x"));
  EXPECT_NE(halved, changed("dense<2.0>", "dense<3.0>"));
}

TEST(CanonicalForm, IsWritten) {
  EXPECT_THAT(formOf(R"(
        func.func public @main(%x: tensor<f32>) -> tensor<f32> {
          %c = stablehlo.constant dense<1.0> : tensor<f32>
          %0 = stablehlo.add %x, %c : tensor<f32>
          return %0 : tensor<f32>
        })"),
              testing::ElementsAre(
                  "module {}", "@0(tensor<f32> {}) -> (tensor<f32> {})", "  ^(%0) : (tensor<f32>)",
                  "  %1 = stablehlo.add(%0, <f32[] 0000803f>) {} : (tensor<f32>, tensor<f32>) -> "
                  "(tensor<f32>)",
                  "  func.return(%1) {} : (tensor<f32>) -> ()"));
}

}  // namespace
}  // namespace vintage::tests

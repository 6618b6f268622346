// Quantized tensors: values by hand from (storage - zero point) * scale.
#include <gmock/gmock.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;

namespace {

using ::testing::ElementsAre;

Tensor row(const std::vector<float>& values) {
  return floats({static_cast<int64_t>(values.size())}, values);
}

TEST(Quantization, RoundsToEvenAndClamps) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<5xf32>) -> tensor<5xi8> {
      %q = stablehlo.uniform_quantize %x : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 2.0:1>>
      %b = stablehlo.bitcast_convert %q : (tensor<5x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<5xi8>
      return %b : tensor<5xi8>
    })",
                                 {row({3, 5, -1, 1000, -1000})});
  // 1.5 -> 2, 2.5 -> 2, -0.5 -> 0, each plus 1.
  EXPECT_THAT(values<int8_t>(result), ElementsAre(3, 3, 1, 127, -128));
}

TEST(Quantization, PerAxisScales) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
      %q = stablehlo.uniform_quantize %x
          : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0:0, 10.0:5}>>
      %d = stablehlo.uniform_dequantize %q
          : (tensor<2x2x!quant.uniform<i8:f32:1, {1.0:0, 10.0:5}>>) -> tensor<2x2xf32>
      return %d : tensor<2x2xf32>
    })",
                                 {floats({2, 2}, {1.4f, 14, 2.6f, 26})});
  EXPECT_THAT(values<float>(result), ElementsAre(1, 10, 3, 30));
}

TEST(Quantization, ArithmeticIsInTheExpressedType) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
      %p = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
      %q = stablehlo.uniform_quantize %y : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>
      %s = stablehlo.add %p, %q : tensor<3x!quant.uniform<i8:f32, 0.5>>
      %d = stablehlo.uniform_dequantize %s : (tensor<3x!quant.uniform<i8:f32, 0.5>>) -> tensor<3xf32>
      return %d : tensor<3xf32>
    })",
                                 {row({1, 60, -3}), row({0.5f, 60, 1})});
  EXPECT_THAT(values<float>(result), ElementsAre(1.5f, 63.5f, -2));
}

}  // namespace
}  // namespace vintage::tests::engine_test

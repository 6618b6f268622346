// Attention by a kernel of many blocks beside attention by its definition.
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>

#include <fmt/format.h>

#include "harness/engine/kernels/kernel_calls.h"
#include "tests/harness/engine/kernels/run_kernel.h"

namespace vintage::tests::flash_attention_test {
using namespace kernel_test;

namespace {

constexpr int64_t kRows = 512, kColumns = 64;

std::vector<float> attention(const std::vector<float>& q, const std::vector<float>& k,
                             const std::vector<float>& v) {
  std::vector<float> result;
  for (int64_t i = 0; i < kRows; ++i) {
    std::vector<double> weights(kRows);
    double sum = 0;
    for (int64_t j = 0; j < kRows; ++j) {
      double product = 0;
      for (int64_t c = 0; c < kColumns; ++c)
        product += double{q[i * kColumns + c]} * k[j * kColumns + c];
      sum += weights[j] = std::exp(product / 8);
    }
    for (int64_t c = 0; c < kColumns; ++c) {
      double value = 0;
      for (int64_t j = 0; j < kRows; ++j) value += weights[j] * v[j * kColumns + c];
      result.push_back(static_cast<float>(value / sum));
    }
  }
  return result;
}

std::string textOf(const std::string& name) {
  std::ifstream file(VINTAGE_SOURCE "/tests/harness/engine/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Inputs {
  std::vector<std::vector<float>> arrays;
  std::vector<Tensor> tensors;
};

Inputs inputs() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Inputs made;
  made.arrays.assign(3, std::vector<float>(kRows * kColumns));
  for (auto& array : made.arrays) {
    for (float& each : array) each = normal(random);
    made.tensors.push_back(floats({kRows, kColumns}, array));
  }
  return made;
}

void expectAttention(const Inputs& given, const Result<std::vector<Tensor>>& results) {
  ASSERT_TRUE(results) << messageOf(results);
  const auto expected = attention(given.arrays[0], given.arrays[1], given.arrays[2]);
  const auto found = (*results)[0].values<float>();
  for (size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(found[i], expected[i], 2e-6) << i;
}

TEST(FlashAttention, OfMosaicIsAttention) {
  const Inputs given = inputs();
  expectAttention(given,
                  runText(textOf("flash_attention.mlir"), given.tensors, {f32({kRows, kColumns})}));
}

TEST(FlashAttention, OfTritonIsAttention) {
  harness::readKernelsWith(
      {.mosaic = golden::readMosaicKernel, .triton = golden::readTritonKernel});
  std::string ir;
  for (const char each : textOf("flash_attention_triton.mlir"))
    ir += fmt::format("\\{:02X}", static_cast<unsigned char>(each));
  const Inputs given = inputs();
  expectAttention(
      given,
      engine_test::run(
          R"(func.func public @main(%q: tensor<512x64xf32>, %k: tensor<512x64xf32>, %v: tensor<512x64xf32>) -> tensor<512x64xf32> {
    %0 = stablehlo.custom_call @__gpu$xla.gpu.triton(%q, %k, %v) {mhlo.backend_config = {name = "kernel",
      grid_x = 8 : i32, grid_y = 1 : i32, grid_z = 1 : i32, ir = ")" +
              ir +
              R"("}} : (tensor<512x64xf32>, tensor<512x64xf32>, tensor<512x64xf32>) -> tensor<512x64xf32>
    return %0 : tensor<512x64xf32> })",
          given.tensors));
}

}  // namespace
}  // namespace vintage::tests::flash_attention_test

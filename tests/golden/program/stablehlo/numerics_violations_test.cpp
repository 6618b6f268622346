#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
namespace {

TEST(StablehloConstraints, LinearAlgebra) {
  expectViolations({
      {"cholesky_c1", "%arg0: tensor<3x3xf32>",
       "%0 = stablehlo.cholesky %arg0 : (tensor<3x3xf32>) -> tensor<3x4xf32>", "tensor<3x4xf32>"},
      {"cholesky_c2", "%arg0: tensor<3xf32>", "%0 = stablehlo.cholesky %arg0 : tensor<3xf32>",
       "found 1"},
      {"cholesky_c3", "%arg0: tensor<2x3x4xf32>",
       "%0 = stablehlo.cholesky %arg0 : tensor<2x3x4xf32>", "found 3x4"},
  });
  const auto solve = [](const std::string& a, const std::string& b, const std::string& result,
                        bool left) {
    return "%0 = \"stablehlo.triangular_solve\"(%arg0, %arg1) <{left_side = " +
           std::string(left ? "true" : "false") +
           ", lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = "
           "false}> : (" +
           a + ", " + b + ") -> " + result;
  };
  const struct {
    const char* label;
    std::string a, b, result;
    bool left;
    const char* found;
  } kCases[] = {
      {"triangular_solve_c1", "tensor<3x3xf32>", "tensor<3x2xf64>", "tensor<3x2xf64>", true,
       "b has 'f64'"},
      {"triangular_solve_c2", "tensor<3x3xf32>", "tensor<3xf32>", "tensor<3xf32>", true,
       "found 2 and 1"},
      {"triangular_solve_c3", "tensor<2x3x3xf32>", "tensor<4x3x2xf32>", "tensor<4x3x2xf32>", true,
       "found 2 and 4"},
      {"triangular_solve_c3", "tensor<3x4xf32>", "tensor<3x2xf32>", "tensor<3x2xf32>", true,
       "size 3, found 3x4"},
      {"triangular_solve_c3", "tensor<3x3xf32>", "tensor<3x2xf32>", "tensor<3x2xf32>", false,
       "size 2, found 3x3"},
      {"triangular_solve_c4", "tensor<3x3xf32>", "tensor<3x2xf32>", "tensor<3x3xf32>", true,
       "tensor<3x3xf32>"},
  };
  for (const auto& c : kCases) {
    const std::string arguments = "%arg0: " + c.a + ", %arg1: " + c.b;
    const std::string text = solve(c.a, c.b, c.result, c.left);
    expectViolations({{c.label, arguments.c_str(), text.c_str(), c.found}});
  }
}

TEST(StablehloConstraints, FourierTransforms) {
  expectViolations({
      {"fft_c1", "%arg0: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.fft %arg0, type = FFT, length = [4, 4] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4xcomplex<f32>>",
       "rank 2 of the transform, found 1"},
      {"fft_c2", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.fft %arg0, type = FFT, length = [4] : (tensor<4xf32>) -> "
       "tensor<4xcomplex<f32>>",
       "FFT takes complex elements"},
      {"fft_c2", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<4xf32>) -> "
       "tensor<3xcomplex<f64>>",
       "RFFT takes real elements and gives complex ones"},
      {"fft_c3", "%arg0: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.fft %arg0, type = FFT, length = [] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4xcomplex<f32>>",
       "found 0"},
      {"fft_c4", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.fft %arg0, type = RFFT, length = [8] : (tensor<4xf32>) -> "
       "tensor<3xcomplex<f32>>",
       "must be fft_length [8], found 4"},
      {"fft_c5", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<4xf32>) -> "
       "tensor<4xcomplex<f32>>",
       "must have shape 3, found 4"},
      {"fft_c5", "%arg0: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.fft %arg0, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> "
       "tensor<4x1xcomplex<f32>>",
       "found 2"},
  });
}

TEST(StablehloConstraints, RandomNumbers) {
  expectViolations({
      {"rng_c1", "%arg0: tensor<f32>, %arg1: tensor<f64>, %arg2: tensor<1xi64>",
       "%0 = stablehlo.rng %arg0, %arg1, %arg2, distribution = UNIFORM : (tensor<f32>, "
       "tensor<f64>, tensor<1xi64>) -> tensor<2xf32>",
       "b has 'f64'"},
      {"rng_c2", "%arg0: tensor<i32>, %arg1: tensor<1xi64>",
       "%0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = NORMAL : (tensor<i32>, tensor<i32>, "
       "tensor<1xi64>) -> tensor<2xi32>",
       "found 'i32'"},
      {"rng_c3", "%arg0: tensor<i32>, %arg1: tensor<1xi64>",
       "%0 = stablehlo.rng %arg0, %arg0, %arg1, distribution = UNIFORM : (tensor<i32>, "
       "tensor<i32>, tensor<1xi64>) -> tensor<2x2xi32>",
       "2 dimensions of result, found 1"},
      {"rng_bit_generator_c1", "%arg0: tensor<2xui64>",
       "%0:2 = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xui64>) -> "
       "(tensor<3xui64>, tensor<2xui32>)",
       "tensor<3xui64>"},
  });
}

}  // namespace
}  // namespace vintage::tests

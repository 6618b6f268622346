#include <complex>
#include <random>

#include <fmt/format.h>

#include "golden/tensor/ulps.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using C = std::complex<double>;
using Matrix = std::vector<C>;  // Row-major, square.

Matrix randomMatrix(int64_t rows, int64_t columns, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Matrix matrix(rows * columns);
  for (C& value : matrix) value = {normal(random), normal(random)};
  return matrix;
}

Tensor complexTensor(Shape shape, const Matrix& values) {
  return filled<C>(ElementType::kC128, std::move(shape), values);
}

TEST(Cholesky, MultipliesBackToItsOperand) {
  constexpr int64_t n = 5;
  const Matrix g = randomMatrix(n, n, 1);
  Matrix a(n * n);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k) a[i * n + j] += g[i * n + k] * std::conj(g[j * n + k]);
  for (bool lower : {true, false}) {
    const auto outputs =
        runMain("(%a: tensor<1x5x5xcomplex<f64>>) -> tensor<1x5x5xcomplex<f64>>",
                fmt::format("%0 = stablehlo.cholesky %a, lower = {} : tensor<1x5x5xcomplex<f64>>\n"
                            "return %0 : tensor<1x5x5xcomplex<f64>>",
                            lower),
                {complexTensor({1, n, n}, a)});
    const auto f = outputs[0].values<C>();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        if (lower ? j > i : j < i) EXPECT_EQ(f[i * n + j], C(0));
        C sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          sum += lower ? f[i * n + k] * std::conj(f[j * n + k])
                       : std::conj(f[k * n + i]) * f[k * n + j];
        }
        EXPECT_NEAR(std::abs(sum - a[i * n + j]), 0, 1e-12);
      }
    }
  }
}

TEST(Cholesky, IsNanWhereTheMatrixIsNotPositiveDefinite) {
  const auto outputs = runMain(
      "(%a: tensor<2x2xf32>) -> tensor<2x2xf32>",
      "%0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>\n return %0 : tensor<2x2xf32>",
      {floats({2, 2}, {1, 2, 2, 1})});
  const auto values = outputs[0].values<float>();
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]) && std::isnan(values[3]));
  EXPECT_EQ(values[1], 0);
}

TEST(TriangularSolve, SatisfiesItsEquationWithEveryFlag) {
  constexpr int64_t n = 4, m = 3;
  for (int flags = 0; flags < 24; ++flags) {
    const bool left = flags & 1, lower = flags & 2, unit = flags & 4;
    const int transpose = flags / 8;
    static constexpr const char* kTransposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    Matrix a = randomMatrix(n, n, 100 + flags);
    for (int64_t i = 0; i < n; ++i) a[i * n + i] += 3.0;
    const int64_t rows = left ? n : m, columns = left ? m : n;
    const Matrix b = randomMatrix(rows, columns, 200 + flags);
    const std::string type = fmt::format("tensor<{}x{}xcomplex<f64>>", rows, columns);
    const auto outputs =
        runMain(fmt::format("(%a: tensor<4x4xcomplex<f64>>, %b: {0}) -> {0}", type),
                fmt::format("%0 = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = {}, lower "
                            "= {}, unit_diagonal = {}, "
                            "transpose_a = #stablehlo<transpose {}>}}> : "
                            "(tensor<4x4xcomplex<f64>>, {}) -> {}\n return %0 : {}",
                            left, lower, unit, kTransposes[transpose], type, type, type),
                {complexTensor({n, n}, a), complexTensor({rows, columns}, b)});
    const auto x = outputs[0].values<C>();
    const auto op = [&](int64_t i, int64_t j) -> C {
      if (transpose != 0) std::swap(i, j);
      if (lower ? j > i : j < i) return 0;
      if (i == j && unit) return 1;
      return transpose == 2 ? std::conj(a[i * n + j]) : a[i * n + j];
    };
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        C sum = 0;
        for (int64_t k = 0; k < n; ++k)
          sum += left ? op(i, k) * x[k * columns + j] : x[i * columns + k] * op(k, j);
        EXPECT_NEAR(std::abs(sum - b[i * columns + j]), 0, 1e-10) << "flags " << flags;
      }
    }
  }
}

// With small diagonals substitution in float would lose most of its digits.
TEST(TriangularSolve, IsAccurateToTheLastDigitInFloat) {
  constexpr int64_t n = 8;
  std::mt19937_64 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> a(n * n), b(n * n);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  for (int64_t i = 0; i < n; ++i) a[i * n + i] = 0.25f + static_cast<float>(i) / 64;
  const auto outputs =
      runMain("(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32>",
              "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = true, "
              "unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : "
              "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n"
              "return %0 : tensor<8x8xf32>",
              {floats({n, n}, a), floats({n, n}, b)});
  const auto actual = outputs[0].values<float>();
  for (int64_t column = 0; column < n; ++column) {
    std::vector<long double> x(n);
    for (int64_t i = 0; i < n; ++i) {
      long double rest = b[i * n + column];
      for (int64_t j = 0; j < i; ++j) rest -= a[i * n + j] * x[j];
      x[i] = rest / a[i * n + i];
      EXPECT_LE(ulpDistance(actual[i * n + column], static_cast<float>(x[i])), 1)
          << "row " << i << ", column " << column;
    }
  }
}

TEST(TriangularSolve, TakesHalfFloatsInBatches) {
  const auto outputs =
      runMain("(%a: tensor<2x1x1xf16>, %b: tensor<2x1x1xf16>) -> tensor<2x1x1xf16>",
              "%0 = \"stablehlo.triangular_solve\"(%a, %b) <{left_side = true, lower = true, "
              "unit_diagonal = false, "
              "transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x1x1xf16>, "
              "tensor<2x1x1xf16>) -> tensor<2x1x1xf16>\n"
              "return %0 : tensor<2x1x1xf16>",
              {filled<uint16_t>(ElementType::kF16, {2, 1, 1}, {0x4000, 0x4400}),
               filled<uint16_t>(ElementType::kF16, {2, 1, 1}, {0x3C00, 0x3C00})});
  EXPECT_THAT(valuesOf<uint16_t>(outputs[0]), testing::ElementsAre(0x3800, 0x3400));  // 1/2, 1/4
}

}  // namespace
}  // namespace vintage::tests

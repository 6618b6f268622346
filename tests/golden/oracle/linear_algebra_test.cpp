// Factorizations by their defining equations, to far better than double precision.
#include <random>

#include <gtest/gtest.h>

#include "golden/oracle/linear_algebra.h"

namespace vintage::tests {
using namespace golden;
using namespace golden::oracle;
namespace {

constexpr double kTiny = 1e-26;

QuadMatrix randomMatrix(int64_t rows, int64_t columns, bool complex, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> entry(-1, 1);
  QuadMatrix matrix(rows, columns);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j)
      matrix(i, j) = {entry(random), complex ? entry(random) : 0};
  }
  return matrix;
}

double distance(const QuadMatrix& a, const QuadMatrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.columns(), b.columns());
  Quad sum = 0;
  for (int64_t i = 0; i < a.rows(); ++i) {
    for (int64_t j = 0; j < a.columns(); ++j) sum += squaredModulus(a(i, j) - b(i, j));
  }
  return static_cast<double>(squareRoot(sum));
}

bool isUnitary(const QuadMatrix& q) {
  return distance(q.conjugateTransposed() * q, QuadMatrix::identity(q.columns())) < kTiny;
}

class Factorizations : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(RealAndComplex, Factorizations, testing::Bool());

TEST_P(Factorizations, CholeskyMultipliesBack) {
  const QuadMatrix root = randomMatrix(5, 8, GetParam(), 1);
  const QuadMatrix matrix = root * root.conjugateTransposed();
  const QuadMatrix lower = cholesky(matrix);
  EXPECT_LT(distance(lower * lower.conjugateTransposed(), matrix), kTiny);
}

TEST_P(Factorizations, LuMultipliesBackToThePermutedRows) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{4, 4}, {3, 5}, {5, 3}}) {
    const QuadMatrix matrix = randomMatrix(rows, columns, GetParam(), 2);
    const Lu lu = luDecomposition(matrix);
    const int64_t inner = std::min(rows, columns);
    QuadMatrix lower(rows, inner), upper(inner, columns), permuted(rows, columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        if (i > j) lower(i, j) = lu.packed(i, j);
        if (i <= j) upper(i, j) = lu.packed(i, j);
        permuted(i, j) = matrix(lu.permutation[static_cast<size_t>(i)], j);
      }
      if (i < inner) lower(i, i) = {1, 0};
    }
    EXPECT_LT(distance(lower * upper, permuted), kTiny);
    std::vector<int64_t> replayed(static_cast<size_t>(rows));
    for (size_t i = 0; i < replayed.size(); ++i) replayed[i] = static_cast<int64_t>(i);
    for (size_t i = 0; i < lu.pivots.size(); ++i) {
      std::swap(replayed[i], replayed[static_cast<size_t>(lu.pivots[i])]);
    }
    EXPECT_EQ(replayed, lu.permutation);
  }
}

TEST_P(Factorizations, QrIsOrthonormalTimesTriangular) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{4, 4}, {3, 5}, {5, 3}, {1, 1}}) {
    const QuadMatrix matrix = randomMatrix(rows, columns, GetParam(), 3);
    const Qr qr = qrDecomposition(matrix);
    EXPECT_TRUE(isUnitary(qr.q));
    EXPECT_LT(distance(qr.q * qr.r, matrix), kTiny);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < std::min(i, columns); ++j) {
        EXPECT_LT(static_cast<double>(modulus(qr.r(i, j))), kTiny);
      }
    }
  }
}

TEST_P(Factorizations, HermitianEigenvectorsDiagonalize) {
  const QuadMatrix root = randomMatrix(6, 6, GetParam(), 4);
  QuadMatrix matrix = root;
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t j = 0; j < 6; ++j) matrix(i, j) = root(i, j) + conj(root(j, i));
  }
  const HermitianEigen eigen = hermitianEigen(matrix);
  EXPECT_TRUE(isUnitary(eigen.vectors));
  QuadMatrix diagonal(6, 6);
  for (int64_t i = 0; i < 6; ++i) diagonal(i, i) = {eigen.values[static_cast<size_t>(i)], 0};
  EXPECT_LT(distance(matrix * eigen.vectors, eigen.vectors * diagonal), kTiny);
  EXPECT_TRUE(std::is_sorted(eigen.values.begin(), eigen.values.end()));
}

TEST_P(Factorizations, SingularValuesMultiplyBack) {
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>{4, 4}, {3, 5}, {5, 3}, {1, 1}}) {
    const QuadMatrix matrix = randomMatrix(rows, columns, GetParam(), 5);
    const Svd svd = singularValues(matrix);
    EXPECT_TRUE(isUnitary(svd.u));
    EXPECT_TRUE(isUnitary(svd.vh));
    QuadMatrix middle(rows, columns);
    for (size_t i = 0; i < svd.values.size(); ++i) {
      const auto k = static_cast<int64_t>(i);
      middle(k, k) = {svd.values[i], 0};
      if (i > 0) {
        EXPECT_GE(static_cast<double>(svd.values[i - 1]), static_cast<double>(svd.values[i]));
      }
    }
    EXPECT_LT(distance(svd.u * middle * svd.vh, matrix), kTiny);
  }
}

TEST_P(Factorizations, EigenvectorsOfGeneralMatricesSatisfyTheirEquation) {
  for (uint64_t seed = 10; seed < 16; ++seed) {
    const QuadMatrix matrix = randomMatrix(5, 5, GetParam(), seed);
    const Eigen eigen = eigenDecomposition(matrix);
    QuadMatrix diagonal(5, 5);
    for (int64_t i = 0; i < 5; ++i) diagonal(i, i) = eigen.values[static_cast<size_t>(i)];
    EXPECT_LT(distance(matrix * eigen.vectors, eigen.vectors * diagonal), 1e-22) << seed;
  }
}

TEST_P(Factorizations, TriangularSystemsAreSolved) {
  QuadMatrix triangle = randomMatrix(4, 4, GetParam(), 6);
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = i + 1; j < 4; ++j) triangle(i, j) = {};
    triangle(i, i) = {2, 0};
  }
  const QuadMatrix right = randomMatrix(4, 3, GetParam(), 7);
  EXPECT_LT(distance(triangle * solveTriangular(triangle, right, true, false), right), kTiny);
  const QuadMatrix upper = triangle.transposed();
  EXPECT_LT(distance(upper * solveTriangular(upper, right, false, false), right), kTiny);
}

}  // namespace
}  // namespace vintage::tests

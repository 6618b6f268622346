#include "golden/compare/condition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "golden/compare/factors.h"
#include "golden/compare/matrix.h"

namespace vintage::golden::compare {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr size_t kLargest = 512;  // Larger ones would take seconds.

// By elimination with pivots over [A I].
std::optional<Matrix> inverseOf(Matrix matrix) {
  const size_t n = matrix.rows();
  Matrix inverse = Matrix::identity(n);
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    for (size_t row = column; row < n; ++row)
      if (std::abs(matrix(row, column)) > std::abs(matrix(pivot, column))) pivot = row;
    const Complex divisor = matrix(pivot, column);
    if (divisor == Complex(0)) return std::nullopt;
    for (size_t j = 0; j < n; ++j) {
      std::swap(matrix(pivot, j), matrix(column, j));
      std::swap(inverse(pivot, j), inverse(column, j));
      matrix(column, j) /= divisor;
      inverse(column, j) /= divisor;
    }
    for (size_t row = 0; row < n; ++row) {
      const Complex factor = matrix(row, column);
      if (row == column || factor == Complex(0)) continue;
      for (size_t j = 0; j < n; ++j) {
        matrix(row, j) -= factor * matrix(column, j);
        inverse(row, j) -= factor * inverse(column, j);
      }
    }
  }
  return inverse;
}

double conditionOf(const Matrix& matrix) {
  const double norm = matrix.norm();
  if (!std::isfinite(norm)) return kInfinite;
  const std::optional<Matrix> inverse = inverseOf(matrix);
  if (!inverse) return kInfinite;
  const double condition = norm * inverse->norm();
  return std::isfinite(condition) ? condition : kInfinite;
}

}  // namespace

double conditionOf(const Tensor& matrices) {
  if (matrices.rank() < 2 || matrices.size() == 0 ||
      !(isFloat(matrices.type()) || isComplex(matrices.type())))
    return 1;
  const Shape& shape = matrices.shape();
  const int64_t elements = shape[shape.size() - 2] * shape.back();
  double largest = 1;
  for (int64_t batch = 0; batch < matrices.size() / elements; ++batch) {
    Matrix matrix = loadMatrix(matrices, batch);
    if (std::max(matrix.rows(), matrix.columns()) > kLargest) return kInfinite;
    const bool square = matrix.rows() == matrix.columns();
    if (matrix.rows() < matrix.columns()) matrix = matrix.conjugateTransposed();
    largest =
        std::max(largest, square ? conditionOf(matrix)
                                 : std::sqrt(conditionOf(matrix.conjugateTransposed() * matrix)));
  }
  return largest;
}

}  // namespace vintage::golden::compare

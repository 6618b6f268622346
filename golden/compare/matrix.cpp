#include "golden/compare/factors.h"

#include <algorithm>
#include <cmath>

namespace vintage::golden {
namespace {

// q := q (I - tau v v^H)
void applyReflector(Matrix& q, const std::vector<Complex>& v, Complex tau) {
  for (size_t row = 0; row < q.rows(); ++row) {
    Complex sum = 0;
    for (size_t k = 0; k < v.size(); ++k) sum += q(row, k) * v[k];
    for (size_t k = 0; k < v.size(); ++k) q(row, k) -= tau * sum * std::conj(v[k]);
  }
}

}  // namespace

Matrix operator-(Matrix matrix, const Matrix& other) {
  for (size_t i = 0; i < matrix.rows(); ++i)
    for (size_t j = 0; j < matrix.columns(); ++j) matrix(i, j) -= other(i, j);
  return matrix;
}

Matrix upperTriangle(Matrix matrix) {
  for (size_t i = 0; i < matrix.rows(); ++i)
    for (size_t j = 0; j < std::min(i, matrix.columns()); ++j) matrix(i, j) = 0;
  return matrix;
}

double normOf(const Matrix& matrix) {
  double sum = 0;
  for (size_t i = 0; i < matrix.rows(); ++i)
    for (size_t j = 0; j < matrix.columns(); ++j) sum = std::hypot(sum, std::abs(matrix(i, j)));
  return sum;
}

Matrix householderProduct(const Matrix& packed, const std::vector<Complex>& taus, size_t offset) {
  const size_t size = packed.rows();
  Matrix q = Matrix::identity(size);
  for (size_t i = 0; i < taus.size() && i + offset < size; ++i) {
    std::vector<Complex> v(size);
    v[i + offset] = 1;
    for (size_t row = i + offset + 1; row < size; ++row) v[row] = packed(row, i);
    applyReflector(q, v, taus[i]);
  }
  return q;
}

Matrix householderProductUpper(const Matrix& packed, const std::vector<Complex>& taus) {
  const size_t size = packed.rows();
  Matrix q = Matrix::identity(size);
  for (size_t i = std::min(taus.size(), size == 0 ? 0 : size - 1); i-- > 0;) {
    std::vector<Complex> v(size);
    v[i] = 1;
    for (size_t row = 0; row < i; ++row) v[row] = packed(row, i + 1);
    applyReflector(q, v, taus[i]);
  }
  return q;
}

}  // namespace vintage::golden

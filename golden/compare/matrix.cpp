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

Matrix Matrix::identity(size_t size) {
  Matrix matrix(size, size);
  for (size_t i = 0; i < size; ++i) matrix(i, i) = 1;
  return matrix;
}

Matrix Matrix::operator*(const Matrix& other) const {
  Matrix result(rows_, other.columns_);
  for (size_t i = 0; i < rows_; ++i)
    for (size_t k = 0; k < columns_; ++k) {
      const Complex factor = (*this)(i, k);
      for (size_t j = 0; j < other.columns_; ++j) result(i, j) += factor * other(k, j);
    }
  return result;
}

Matrix Matrix::operator-(const Matrix& other) const {
  Matrix result = *this;
  for (size_t i = 0; i < data_.size(); ++i) result.data_[i] -= other.data_[i];
  return result;
}

Matrix Matrix::conjugateTransposed() const {
  Matrix result(columns_, rows_);
  for (size_t i = 0; i < rows_; ++i)
    for (size_t j = 0; j < columns_; ++j) result(j, i) = std::conj((*this)(i, j));
  return result;
}

Matrix Matrix::block(size_t rows, size_t columns) const {
  Matrix result(rows, columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j) result(i, j) = (*this)(i, j);
  return result;
}

Matrix Matrix::upperTriangle() const {
  Matrix result = *this;
  for (size_t i = 0; i < rows_; ++i)
    for (size_t j = 0; j < std::min(i, columns_); ++j) result(i, j) = 0;
  return result;
}

double Matrix::norm() const {
  double sum = 0;
  for (const Complex element : data_) sum = std::hypot(sum, std::abs(element));
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

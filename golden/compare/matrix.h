// Small dense complex matrices, for checking factorizations: everything is
// widened to complex<double>, which is exact for the types that are compared.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "golden/compare/room.h"

namespace vintage::golden::compare {

using Complex = std::complex<double>;

class Matrix {
 public:
  Matrix() = default;
  Matrix(size_t rows, size_t columns) : rows_(rows), columns_(columns), data_(rows * columns) {}
  static Matrix identity(size_t size);

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  Complex& operator()(size_t row, size_t column) { return data_[row * columns_ + column]; }
  Complex operator()(size_t row, size_t column) const { return data_[row * columns_ + column]; }

  Matrix operator*(const Matrix& other) const;
  Matrix operator-(const Matrix& other) const;
  Matrix conjugateTransposed() const;
  Matrix block(size_t rows, size_t columns) const;  // The upper left corner.
  Matrix upperTriangle() const;
  // Frobenius; NaN where an element is.
  double norm() const;

 private:
  size_t rows_ = 0, columns_ = 0;
  std::vector<Complex> data_;
};

// H_0 H_1 … with H_i = I - tau_i v_i v_i^H, where v_i is 0 above row i + offset,
// 1 there, and below it is column i of `packed`: as LAPACK keeps reflectors.
// (org/ungqr: offset 0; orghr and lower org/ungtr: offset 1.)
Matrix householderProduct(const Matrix& packed, const std::vector<Complex>& taus, size_t offset);

// The same for sytrd with UPLO = U: Q = H_{n-2} … H_0, where v_i is 0 below row
// i, 1 there, and above it is column i + 1 of `packed`.
Matrix householderProductUpper(const Matrix& packed, const std::vector<Complex>& taus);

}  // namespace vintage::golden::compare

// Small dense matrices in row-major order, for oracles and comparators. Not optimized.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace vintage::golden {

// `Number` is complex, with the usual operators and conj(); `Index` is its users' type for sizes.
template <typename Number, typename Index>
class DenseMatrix {
 public:
  DenseMatrix() = default;
  DenseMatrix(Index rows, Index columns)
      : rows_(rows), columns_(columns), data_(static_cast<size_t>(rows * columns)) {}
  static DenseMatrix identity(Index size) {
    DenseMatrix matrix(size, size);
    for (Index i = 0; i < size; ++i) matrix(i, i) = Number{1};
    return matrix;
  }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Number& operator()(Index row, Index column) {
    return data_[static_cast<size_t>(row * columns_ + column)];
  }
  Number operator()(Index row, Index column) const {
    return data_[static_cast<size_t>(row * columns_ + column)];
  }

  DenseMatrix operator*(const DenseMatrix& other) const {
    DenseMatrix product(rows_, other.columns_);
    for (Index i = 0; i < rows_; ++i) {
      for (Index k = 0; k < columns_; ++k) {
        const Number factor = (*this)(i, k);
        for (Index j = 0; j < other.columns_; ++j)
          product(i, j) = product(i, j) + factor * other(k, j);
      }
    }
    return product;
  }
  DenseMatrix transposed() const {
    DenseMatrix result(columns_, rows_);
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < columns_; ++j) result(j, i) = (*this)(i, j);
    }
    return result;
  }
  DenseMatrix conjugateTransposed() const {
    using std::conj;
    DenseMatrix result = transposed();
    for (Number& element : result.data_) element = conj(element);
    return result;
  }
  // The upper left corner.
  DenseMatrix block(Index rows, Index columns) const {
    DenseMatrix result(rows, columns);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) result(i, j) = (*this)(i, j);
    }
    return result;
  }

 private:
  Index rows_ = 0, columns_ = 0;
  std::vector<Number> data_;
};

}  // namespace vintage::golden

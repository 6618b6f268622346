#include "golden/oracle/quad_matrix.h"

#include <cmath>

namespace vintage::golden::oracle {

Quad squareRoot(Quad x) {
  if (!(x > 0)) return 0;
  Quad root = static_cast<Quad>(std::sqrt(static_cast<long double>(x)));
  // Each Newton step doubles the 64 correct digits of long double.
  for (int i = 0; i < 2; ++i) root = (root + x / root) / 2;
  return root;
}

int64_t matrixCount(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  return elementCount(std::span(shape).first(shape.size() - 2));
}

QuadMatrix matrixAt(const Tensor& tensor, int64_t batch) {
  const size_t rank = tensor.shape().size();
  QuadMatrix matrix(tensor.shape()[rank - 2], tensor.shape()[rank - 1]);
  int64_t position = batch * matrix.rows() * matrix.columns();
  for (int64_t i = 0; i < matrix.rows(); ++i)
    for (int64_t j = 0; j < matrix.columns(); ++j) matrix(i, j) = quadOf(load(tensor, position++));
  return matrix;
}

void storeMatrix(Tensor& tensor, int64_t batch, const QuadMatrix& matrix) {
  int64_t position = batch * matrix.rows() * matrix.columns();
  for (int64_t i = 0; i < matrix.rows(); ++i)
    for (int64_t j = 0; j < matrix.columns(); ++j) storeRounded(tensor, position++, matrix(i, j));
}

void storeRounded(Tensor& tensor, int64_t index, Quad value) {
  store(tensor, index, {0, roundTo(tensor.type(), value), 0});
}

void storeRounded(Tensor& tensor, int64_t index, QuadComplex value) {
  store(tensor, index, {0, roundTo(tensor.type(), value.re), roundTo(tensor.type(), value.im)});
}

}  // namespace vintage::golden::oracle

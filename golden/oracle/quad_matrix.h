// Small dense complex matrices in quadruple precision.
#pragma once

#include <span>

#include "golden/oracle/number.h"
#include "golden/tensor/dense_matrix.h"

namespace vintage::golden::oracle {

Quad squareRoot(Quad x);

struct QuadComplex {
  Quad re = 0, im = 0;
  friend QuadComplex operator+(QuadComplex a, QuadComplex b) { return {a.re + b.re, a.im + b.im}; }
  friend QuadComplex operator-(QuadComplex a, QuadComplex b) { return {a.re - b.re, a.im - b.im}; }
  friend QuadComplex operator*(QuadComplex a, QuadComplex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend QuadComplex operator*(QuadComplex a, Quad b) { return {a.re * b, a.im * b}; }
  friend QuadComplex operator/(QuadComplex a, QuadComplex b) {
    const Quad norm = b.re * b.re + b.im * b.im;
    return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
  }
};
inline QuadComplex quadOf(const Number& number) { return {number.real, number.imaginary}; }
inline QuadComplex conj(QuadComplex z) { return {z.re, -z.im}; }
inline Quad squaredModulus(QuadComplex z) { return z.re * z.re + z.im * z.im; }
inline Quad modulus(QuadComplex z) { return squareRoot(squaredModulus(z)); }

using QuadMatrix = DenseMatrix<QuadComplex, int64_t>;

// The last two dimensions of a tensor as matrices, one for each batch.
int64_t matrixCount(const Tensor& tensor);
QuadMatrix matrixAt(const Tensor& tensor, int64_t batch);
void storeMatrix(Tensor& tensor, int64_t batch, const QuadMatrix& matrix);
// One element, rounded once; and a batch's vector of them.
void storeRounded(Tensor& tensor, int64_t index, Quad value);
void storeRounded(Tensor& tensor, int64_t index, QuadComplex value);
template <typename Element>
void storeVector(Tensor& tensor, int64_t batch, std::span<const Element> values) {
  int64_t position = batch * static_cast<int64_t>(values.size());
  for (const Element& value : values) storeRounded(tensor, position++, value);
}

}  // namespace vintage::golden::oracle

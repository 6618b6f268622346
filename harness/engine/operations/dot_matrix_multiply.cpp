#include "harness/engine/operations/dot_general.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "harness/engine/custom_calls/lapack_calls.h"

namespace vintage::harness {
namespace {

// Below about this many multiplications the call into BLAS costs more than
// the product.
constexpr int64_t kSmallestForBlas = 8 * 1024;

using lapack::c128;
using lapack::c64;

// Without the search for infinities that operator* makes for complex numbers;
// XLA multiplies like this.
template <typename T>
T multiplied(T a, T b) {
  if constexpr (lapack::kIsComplex<T>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

// How the elements of the left matrix lie.
struct Strides {
  int64_t row, inner;
};

// Every sum is made in the order of `inner`, whichever way it goes.

// Row by row of the right matrix, as it lies in memory.
template <typename T>
void multiplyRows(const MatrixProduct& product, Strides strides, const T* left, const T* right,
                  T* out) {
  std::fill(out, out + product.rows * product.columns, T(0));
  for (int64_t i = 0; i < product.rows; ++i) {
    T* row = out + i * product.columns;
    for (int64_t k = 0; k < product.inner; ++k) {
      const T factor = left[i * strides.row + k * strides.inner];
      const T* line = right + k * product.columns;
      for (int64_t j = 0; j < product.columns; ++j) row[j] += multiplied(factor, line[j]);
    }
  }
}

// `kColumns` columns of the result, whose sums stay in registers: most of the time of a
// small product. The strides of a large one would miss the cache.
template <int64_t kColumns, typename T>
void multiplyColumns(const MatrixProduct& product, Strides strides, const T* left, const T* right,
                     T* out) {
  for (int64_t i = 0; i < product.rows; ++i) {
    T sums[kColumns] = {};
    for (int64_t k = 0; k < product.inner; ++k) {
      const T factor = left[i * strides.row + k * strides.inner];
      const T* line = right + k * product.columns;
      for (int64_t j = 0; j < kColumns; ++j) sums[j] += multiplied(factor, line[j]);
    }
    std::copy(sums, sums + kColumns, out + i * product.columns);
  }
}

template <typename T>
void multiplyByTransposed(const MatrixProduct& product, Strides strides, const T* left,
                          const T* right, T* out) {
  for (int64_t i = 0; i < product.rows; ++i) {
    for (int64_t j = 0; j < product.columns; ++j) {
      const T* column = right + j * product.inner;
      T sum(0);
      for (int64_t k = 0; k < product.inner; ++k)
        sum += multiplied(left[i * strides.row + k * strides.inner], column[k]);
      out[i * product.columns + j] = sum;
    }
  }
}

template <typename T>
void multiplyOne(const MatrixProduct& product, const T* left, const T* right, T* out) {
  const Strides strides =
      product.leftTransposed ? Strides{1, product.rows} : Strides{product.inner, 1};
  if (product.rightTransposed) return multiplyByTransposed(product, strides, left, right, out);
  constexpr int64_t kCached = 16 * 1024 / sizeof(T);
  if (product.inner * product.columns > kCached)
    return multiplyRows(product, strides, left, right, out);
  constexpr int64_t kMany = 64 / sizeof(T), kFew = kMany / 4;
  int64_t j = 0;
  for (; j + kMany <= product.columns; j += kMany)
    multiplyColumns<kMany>(product, strides, left, right + j, out + j);
  for (; j + kFew <= product.columns; j += kFew)
    multiplyColumns<kFew>(product, strides, left, right + j, out + j);
  for (; j < product.columns; ++j) multiplyColumns<1>(product, strides, left, right + j, out + j);
}

bool fitsBlas(const MatrixProduct& product) {
  constexpr int64_t kLargest = std::numeric_limits<int>::max();
  if (product.rows > kLargest || product.columns > kLargest || product.inner > kLargest)
    return false;
  return product.inner > 0 && static_cast<double>(product.rows) *
                                      static_cast<double>(product.columns) *
                                      static_cast<double>(product.inner) >=
                                  static_cast<double>(kSmallestForBlas);
}

}  // namespace

template <typename T>
void multiplyMatrices(const MatrixProduct& product, const T* left, const T* right, T* out) {
  const int64_t rows = product.rows, columns = product.columns, inner = product.inner;
  const bool blas = std::is_signed_v<lapack::Real<T>> && fitsBlas(product);
  if (blas) lapack::prepareLinearAlgebra();
  for (int64_t i = 0; i < product.batch; ++i) {
    const T* a = left + i * rows * inner;
    const T* b = right + i * inner * columns;
    T* c = out + i * rows * columns;
    if constexpr (std::is_signed_v<lapack::Real<T>>) {
      if (blas) {
        lapack::gemm(product.leftTransposed ? CblasTrans : CblasNoTrans,
                     product.rightTransposed ? CblasTrans : CblasNoTrans, static_cast<int>(rows),
                     static_cast<int>(columns), static_cast<int>(inner), a,
                     static_cast<int>(product.leftTransposed ? rows : inner), b,
                     static_cast<int>(product.rightTransposed ? inner : columns), c);
        continue;
      }
    }
    multiplyOne(product, a, b, c);
  }
}

template void multiplyMatrices(const MatrixProduct&, const float*, const float*, float*);
template void multiplyMatrices(const MatrixProduct&, const double*, const double*, double*);
template void multiplyMatrices(const MatrixProduct&, const c64*, const c64*, c64*);
template void multiplyMatrices(const MatrixProduct&, const c128*, const c128*, c128*);
template void multiplyMatrices(const MatrixProduct&, const uint32_t*, const uint32_t*, uint32_t*);
template void multiplyMatrices(const MatrixProduct&, const uint64_t*, const uint64_t*, uint64_t*);

}  // namespace vintage::harness

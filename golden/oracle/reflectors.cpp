// Factorizations by Householder's reflectors, and Schur's form.
#include <algorithm>

#include "golden/oracle/linear_algebra.h"

namespace vintage::golden::oracle {
namespace {

// Makes the reflector of column `column` from row `row` on, stores it there and
// returns its tau; row `row` keeps what is left, a real number.
QuadComplex reflectColumn(QuadMatrix& a, int64_t row, int64_t column) {
  Quad tail = 0;
  for (int64_t i = row + 1; i < a.rows(); ++i) tail += squaredModulus(a(i, column));
  const QuadComplex alpha = a(row, column);
  if (tail == 0 && alpha.im == 0) return {};
  const Quad norm = squareRoot(squaredModulus(alpha) + tail);
  const Quad beta = alpha.re < 0 ? norm : -norm;
  const QuadComplex divisor{alpha.re - beta, alpha.im};
  for (int64_t i = row + 1; i < a.rows(); ++i) a(i, column) = a(i, column) / divisor;
  a(row, column) = {beta, 0};
  return {(beta - alpha.re) / beta, -alpha.im / beta};
}

// v of the reflector that stands in column `column` from row `row` on.
std::vector<QuadComplex> reflector(const QuadMatrix& packed, int64_t row, int64_t column) {
  std::vector<QuadComplex> v(static_cast<size_t>(packed.rows()));
  v[static_cast<size_t>(row)] = {1, 0};
  for (int64_t i = row + 1; i < packed.rows(); ++i) v[static_cast<size_t>(i)] = packed(i, column);
  return v;
}

// (I - tau v v^H) A, for the columns from `first` on.
void applyLeft(QuadMatrix& a, std::span<const QuadComplex> v, QuadComplex tau, int64_t first) {
  for (int64_t j = first; j < a.columns(); ++j) {
    QuadComplex sum;
    for (int64_t i = 0; i < a.rows(); ++i) sum = sum + conj(v[static_cast<size_t>(i)]) * a(i, j);
    sum = sum * tau;
    for (int64_t i = 0; i < a.rows(); ++i) a(i, j) = a(i, j) - v[static_cast<size_t>(i)] * sum;
  }
}

// A (I - tau v v^H), for the columns that v touches.
void applyRight(QuadMatrix& a, std::span<const QuadComplex> v, QuadComplex tau) {
  for (int64_t i = 0; i < a.rows(); ++i) {
    QuadComplex sum;
    for (int64_t j = 0; j < a.columns(); ++j) sum = sum + a(i, j) * v[static_cast<size_t>(j)];
    sum = sum * tau;
    for (int64_t j = 0; j < a.columns(); ++j)
      a(i, j) = a(i, j) - sum * conj(v[static_cast<size_t>(j)]);
  }
}

}  // namespace

Reflected householderQr(const QuadMatrix& matrix) {
  Reflected result{matrix, {}};
  QuadMatrix& a = result.packed;
  for (int64_t j = 0; j < std::min(a.rows(), a.columns()); ++j) {
    const QuadComplex tau = reflectColumn(a, j, j);
    applyLeft(a, reflector(a, j, j), conj(tau), j + 1);
    result.taus.push_back(tau);
  }
  return result;
}

Reflected hessenberg(const QuadMatrix& matrix) {
  Reflected result{matrix, {}};
  QuadMatrix& a = result.packed;
  // The reflectors occupy places where the reduced matrix has zeros: they are kept apart meanwhile.
  QuadMatrix reflectors(a.rows(), a.rows());
  for (int64_t j = 0; j + 1 < a.rows(); ++j) {
    QuadMatrix column = a;
    const QuadComplex tau = reflectColumn(column, j + 1, j);
    const std::vector<QuadComplex> v = reflector(column, j + 1, j);
    applyRight(a, v, tau);
    applyLeft(a, v, conj(tau), 0);
    for (int64_t i = j + 1; i < a.rows(); ++i)
      reflectors(i, j) = i == j + 1 ? QuadComplex{} : column(i, j);
    result.taus.push_back(tau);
  }
  for (int64_t j = 0; j + 2 < a.rows(); ++j)
    for (int64_t i = j + 2; i < a.rows(); ++i) a(i, j) = reflectors(i, j);
  return result;
}

QuadMatrix householderProduct(const QuadMatrix& packed, std::span<const QuadComplex> taus) {
  QuadMatrix q(packed.rows(), packed.columns());
  for (int64_t i = 0; i < std::min(q.rows(), q.columns()); ++i) q(i, i) = {1, 0};
  for (size_t k = taus.size(); k-- > 0;) {
    const auto at = static_cast<int64_t>(k);
    applyLeft(q, reflector(packed, at, at), taus[k], 0);
  }
  return q;
}

Schur schur(const QuadMatrix& matrix, bool real) {
  const Eigen eigen = eigenDecomposition(matrix);
  const int64_t n = matrix.rows();
  // Eigenvectors (for a pair of conjugate ones, the real and the imaginary part) span invariant
  // subspaces of A. Z is an orthonormal basis of them.
  QuadMatrix basis = eigen.vectors;
  if (real) {
    int64_t column = 0;
    for (size_t k = 0; k < eigen.values.size(); ++k) {
      const QuadComplex value = eigen.values[k];
      const Quad size = modulus(value);
      const bool paired = value.im > size * Quad(0x1p-90) || -value.im > size * Quad(0x1p-90);
      if (paired && value.im < 0) continue;  // Its partner stands for both.
      // An eigenvector of a real value is real up to a phase.
      QuadComplex phase{1, 0};
      if (!paired) {
        int64_t largest = 0;
        const auto from = static_cast<int64_t>(k);
        for (int64_t i = 1; i < n; ++i)
          if (squaredModulus(eigen.vectors(largest, from)) < squaredModulus(eigen.vectors(i, from)))
            largest = i;
        phase = conj(eigen.vectors(largest, from));
      }
      for (int64_t i = 0; i < n; ++i) {
        const QuadComplex element = phase * eigen.vectors(i, static_cast<int64_t>(k));
        basis(i, column) = {element.re, 0};
        if (paired) basis(i, column + 1) = {element.im, 0};
      }
      column += paired ? 2 : 1;
    }
  }
  const QuadMatrix z = qrDecomposition(basis).q;
  QuadMatrix t = z.conjugateTransposed() * matrix * z;
  // Rounding leaves small values below the blocks; they are zero.
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const bool inBlock =
          real && i == j + 1 && squaredModulus(t(i, j)) > squaredModulus(t(j, j)) * Quad(0x1p-160);
      if (!inBlock) t(i, j) = {};
    }
  return {t, z};
}

}  // namespace vintage::golden::oracle

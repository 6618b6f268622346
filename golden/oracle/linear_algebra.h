// Factorizations in quadruple precision, by textbook algorithms that share
// nothing with LAPACK. Golub and Van Loan, "Matrix Computations", 4th edition.
#pragma once

#include <span>
#include <vector>

#include "golden/oracle/quad_matrix.h"

namespace vintage::golden::oracle {

// Lower triangular L with L L^H = A; A must be positive definite.
QuadMatrix cholesky(const QuadMatrix& matrix);

struct Lu {
  QuadMatrix packed;                 // L without its unit diagonal below, U above.
  std::vector<int64_t> pivots;       // Row i was exchanged with pivots[i], in turn.
  std::vector<int64_t> permutation;  // A[permutation] = L U
};
// Partial pivoting by |re| + |im|, as LAPACK measures complex numbers.
Lu luDecomposition(const QuadMatrix& matrix);
// X with A X = B.
QuadMatrix luSolve(const QuadMatrix& a, const QuadMatrix& b);

struct Qr {
  QuadMatrix q, r;  // q is square, r has A's shape.
};
Qr qrDecomposition(const QuadMatrix& matrix);

// Reflectors H_i = I - tau_i v_i v_i^H as LAPACK packs them (larfg): v_i[0] = 1 is not stored; the
// rest is stored below the element that remains of the column.
struct Reflected {
  QuadMatrix packed;
  std::vector<QuadComplex> taus;
};
// H_k^H … H_1^H A is upper triangular: A = H_1 … H_k R.
Reflected householderQr(const QuadMatrix& matrix);
// Q^H A Q is upper Hessenberg for Q = H_1 … H_(n-1); of a Hermitian matrix it is
// tridiagonal and real.
Reflected hessenberg(const QuadMatrix& matrix);
// The first columns of H_1 … H_k, as many as `packed` has.
QuadMatrix householderProduct(const QuadMatrix& packed, std::span<const QuadComplex> taus);

struct Schur {
  QuadMatrix t, z;  // A = Z T Z^H
};
// Upper triangular T. For a real matrix and `real`, block triangular and real: conjugate pairs of
// eigenvalues stay together. Needs distinct eigenvalues.
Schur schur(const QuadMatrix& matrix, bool real);

struct HermitianEigen {
  std::vector<Quad> values;  // Ascending.
  QuadMatrix vectors;        // Columns.
};
HermitianEigen hermitianEigen(const QuadMatrix& matrix);

struct Svd {
  QuadMatrix u;              // Square.
  std::vector<Quad> values;  // Descending.
  QuadMatrix vh;             // Square.
};
Svd singularValues(const QuadMatrix& matrix);

struct Eigen {
  std::vector<QuadComplex> values;
  QuadMatrix vectors;  // Columns of length one.
};
// For a matrix with distinct eigenvalues.
Eigen eigenDecomposition(const QuadMatrix& matrix);

// X with T X = B for triangular T, by substitution.
QuadMatrix solveTriangular(const QuadMatrix& triangle, const QuadMatrix& right, bool lower,
                           bool unitDiagonal);

}  // namespace vintage::golden::oracle

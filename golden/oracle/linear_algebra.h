// Factorizations in quadruple precision, by textbook algorithms that share
// nothing with LAPACK. Golub and Van Loan, "Matrix Computations", 4th edition.
#pragma once

#include <vector>

#include "golden/oracle/quad_matrix.h"

namespace vintage::oracle {

// Lower triangular L with L L^H = A; A must be positive definite.
QuadMatrix cholesky(const QuadMatrix& matrix);

struct Lu {
  QuadMatrix packed;             // L without its unit diagonal below, U above.
  std::vector<int64_t> pivots;   // Row i was exchanged with pivots[i], in turn.
  std::vector<int64_t> permutation;  // A[permutation] = L U
};
// Partial pivoting by |re| + |im|, as LAPACK measures complex numbers.
Lu luDecomposition(const QuadMatrix& matrix);

struct Qr {
  QuadMatrix q, r;  // q is square, r has A's shape.
};
Qr qrDecomposition(const QuadMatrix& matrix);

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
// Of a matrix with distinct eigenvalues.
Eigen eigenDecomposition(const QuadMatrix& matrix);

// X with T X = B for triangular T, by substitution.
QuadMatrix solveTriangular(const QuadMatrix& triangle, const QuadMatrix& right, bool lower,
                           bool unitDiagonal);

}  // namespace vintage::oracle

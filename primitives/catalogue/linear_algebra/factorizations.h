// Factorizations and solves as other primitives use them, lowered for a platform.
#pragma once

#include <utility>

#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/builder.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// The lower factor, with zeros above it.
SsaValue emitCholesky(const SsaValue& matrix);
// LAPACK's packed reflectors and their taus, and the orthonormal matrix that they make.
SsaValues emitGeqrf(const SsaValue& matrix);
SsaValue emitHouseholderProduct(const SsaValue& packed, const SsaValue& taus);
// Q and R; `full`: Q is square.
SsaValues emitQr(const SsaValue& matrix, bool full);
// Vectors and values; in ascending order, or as the TPU's sweeps leave them.
SsaValues emitEigh(const SsaValue& operand, bool lower, bool sorted = true);

// JAX's svd on TPUs, by the polar decomposition: singular values, and with
// `vectors` U and V^H.
SsaValues emitTpuSvd(const SsaValue& matrix, bool full, bool vectors);

// Packed factors, the exchanges of rows (counted from zero), and the permutation
// that they make.
SsaValues emitLu(const SsaValue& matrix);

// X with A X = B, from what emitLu gives of A.
SsaValue emitLuSolve(const SsaValues& lu, const SsaValue& b);

// `pivots` are i32, batches leading.
SsaValue emitPivotsToPermutation(const SsaValue& pivots, int64_t rows);

enum class Transposition { kNone, kTranspose, kAdjoint };

struct TriangularSolve {
  bool left, lower, unitDiagonal;
  Transposition transposition;
};

// X with op(A) X = B, or X op(A) = B: LAPACK's trsm for single matrices on the
// CPU, the compiler's operation elsewhere.
SsaValue emitTriangularSolve(const SsaValue& a, const SsaValue& b, const TriangularSolve& solve);

// The polar decomposition as JAX writes it for platforms without a library's svd: U with
// orthonormal columns and H, Hermitian and positive semidefinite. Their product U H is the matrix
// [batches…, rows, columns]; rows >= columns.
std::pair<SsaValue, SsaValue> emitPolar(const SsaValue& matrix);

// --- On single matrices, as derivatives of linear algebra share them.

// The product over dimension `left` of `a` and dimension `right` of `b`.
SsaValue matrixProduct(const SsaValue& a, const SsaValue& b, int64_t left, int64_t right);
// Zeros outside the triangle, and on the diagonal where `strict`.
SsaValue triangleWithin(const SsaValue& x, bool lower, bool strict);
// Ones where the row is the column.
SsaValue identityLike(const SsaValue& x);

}  // namespace vintage::primitives

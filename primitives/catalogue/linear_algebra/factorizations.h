// Factorizations and solves as other primitives use them, lowered for a platform.
#pragma once

#include <utility>

#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/builder.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// The lower factor, with zeros above it.
SsaValue emitCholesky(FunctionBuilder& main, const SsaValue& matrix, const std::string& platform);
// Q and R; `full`: Q is square.
SsaValues emitQr(FunctionBuilder& main, const SsaValue& matrix, bool full,
                 const std::string& platform);
// Vectors and values; in ascending order, or as the TPU's sweeps leave them.
SsaValues emitEigh(FunctionBuilder& main, const SsaValue& operand, bool lower,
                   const std::string& platform, bool sorted = true);

// JAX's svd on TPUs, by the polar decomposition: singular values, and with
// `vectors` U and V^H.
SsaValues emitTpuSvd(FunctionBuilder& main, const SsaValue& matrix, bool full, bool vectors);

// Packed factors, the exchanges of rows (counted from zero), and the permutation
// that they make.
SsaValues emitLu(FunctionBuilder& main, const SsaValue& matrix, const std::string& platform);

// `pivots` are i32, batches leading.
SsaValue emitPivotsToPermutation(FunctionBuilder& main, const SsaValue& pivots, int64_t rows,
                                 const std::string& platform);

enum class Transposition { kNone, kTranspose, kAdjoint };

struct TriangularSolve {
  bool left, lower, unitDiagonal;
  Transposition transposition;
};

// X with op(A) X = B, or X op(A) = B: LAPACK's trsm for single matrices on the
// CPU, the compiler's operation elsewhere.
SsaValue emitTriangularSolve(FunctionBuilder& main, const SsaValue& a, const SsaValue& b,
                             const TriangularSolve& solve, const std::string& platform);

// The polar decomposition as JAX writes it for platforms without a library's svd:
// U with orthonormal columns and H, Hermitian and positive semidefinite, of which
// [batches…, rows, columns] is the product U H; rows >= columns.
std::pair<Expression, Expression> emitPolar(FunctionBuilder& main, const Expression& matrix);

// --- On single matrices, as derivatives of linear algebra share them.

// The product over dimension `left` of `a` and dimension `right` of `b`.
SsaValue matrixProduct(FunctionBuilder& builder, const SsaValue& a, const SsaValue& b, int64_t left,
                       int64_t right);
// A real value is its own conjugate.
SsaValue conjugateOf(FunctionBuilder& builder, const SsaValue& x);
// Zeros outside the triangle, and on the diagonal where `strict`.
SsaValue triangleWithin(FunctionBuilder& builder, const SsaValue& x, bool lower, bool strict);
// Ones where the row is the column.
SsaValue identityLike(FunctionBuilder& builder, const SsaValue& x);

}  // namespace vintage::primitives

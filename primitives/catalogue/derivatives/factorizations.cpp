// Derivatives of cholesky and lu, which have a unique result, and of custom_linear_solve.
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::QuadComplex;
using oracle::QuadMatrix;

constexpr Transposition kPlain = Transposition::kNone, kTurned = Transposition::kTranspose;

Tensor stored(const QuadMatrix& matrix, const Tensor& like) {
  Tensor result(like.type(), like.shape());
  oracle::storeMatrix(result, 0, matrix);
  return result;
}

// The lower triangle with half of its diagonal.
SsaValue halved(const SsaValue& x) {
  const SsaValue diagonal = identityLike(x);
  const SsaValue divisor = 1.0 + diagonal;
  return triangleWithin(x, true, false) / divisor;
}

// A = L L^H; for Hermitian tangents dL = L phi(L^-1 dA L^-H), with phi
// for the lower triangle and half of the diagonal (Murray, arXiv 1602.07527).
SsaValues writeCholesky(const Pullback& p) {
  const SsaValue l = p.answers()[0];
  const SsaValue inner = halved(matrixProduct(l, p.cotangents[0], 0, 0));
  const SsaValue left = emitTriangularSolve(l, inner, {true, true, false, kTurned});
  return {emitTriangularSolve(conjugated(l), left, {false, true, false, kPlain})};
}

std::vector<Tensor> choleskyOracle(const PullbackValues& values) {
  const QuadMatrix l = oracle::cholesky(oracle::matrixAt(values.inputs[0], 0));
  QuadMatrix inner = l.transposed() * oracle::matrixAt(values.cotangents[0], 0);
  for (int64_t i = 0; i < inner.rows(); ++i) {
    for (int64_t j = i; j < inner.columns(); ++j)
      inner(i, j) = i == j ? inner(i, j) * oracle::Quad(0.5) : QuadComplex{};
  }
  const QuadMatrix left = oracle::solveTriangular(l.transposed(), inner, false, false);
  // X conj(L) = left, transposed.
  const QuadMatrix found =
      oracle::solveTriangular(l.conjugateTransposed(), left.transposed(), false, false);
  return {stored(found.transposed(), values.inputs[0])};
}

// P A = L U: the cotangents of L and U combine to that of L^-1 dA U^-1, which then passes through
// both triangles to the rows in their original order (De Hoog, Anderssen, Lukas, "Differentiation
// of matrix functionals using triangular factorization").
SsaValues writeLu(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  const SsaValues answers = p.answers();
  const SsaValue& packed = answers[0];
  const SsaValue lower = triangleWithin(packed, true, true) + identityLike(packed);
  const SsaValue upper = triangleWithin(packed, false, false);
  const SsaValue byLower = triangleWithin(matrixProduct(lower, g, 0, 0), true, true);
  const SsaValue byUpper = triangleWithin(matrixProduct(g, upper, 1, 1), false, false);
  const SsaValue inner = byLower + byUpper;
  const SsaValue right = emitTriangularSolve(upper, inner, {false, false, false, kTurned});
  const SsaValue left = emitTriangularSolve(lower, right, {true, true, true, kTurned});
  const SsaValue rows = reshape(answers[2], {g.shape[0], 1});
  return {scatter("add", g.like(0), rows, left, {{1}, {0}, {}, {}, {0}, 1})};
}

std::vector<Tensor> luOracle(const PullbackValues& values) {
  const oracle::Lu lu = oracle::luDecomposition(oracle::matrixAt(values.inputs[0], 0));
  const int64_t size = lu.packed.rows();
  QuadMatrix lower = QuadMatrix::identity(size), upper(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) (j < i ? lower : upper)(i, j) = lu.packed(i, j);
  }
  const QuadMatrix g = oracle::matrixAt(values.cotangents[0], 0);
  const QuadMatrix byLower = lower.transposed() * g, byUpper = g * upper.transposed();
  QuadMatrix inner(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) inner(i, j) = (j < i ? byLower : byUpper)(i, j);
  }
  // X U^T = inner, and L^T Y = X.
  const QuadMatrix right =
      oracle::solveTriangular(upper, inner.transposed(), false, false).transposed();
  const QuadMatrix left = oracle::solveTriangular(lower.transposed(), right, false, true);
  QuadMatrix found(size, size);
  for (int64_t i = 0; i < size; ++i) {
    const int64_t row = lu.permutation[static_cast<size_t>(i)];
    for (int64_t j = 0; j < size; ++j) found(row, j) = left(i, j);
  }
  return {stored(found, values.inputs[0])};
}

// x with A x = b: the cotangent of b solves the transposed system, and that of A is minus its
// product with x. The system is factored like the primal one.
SsaValues writeLinearSolve(const Pullback& p) {
  const SsaValue &a = p.inputs[0], &g = p.cotangents[0];
  const SsaValue transposed = matrixProduct(a, identityLike(a), 0, 0);
  const SsaValues lu = emitLu(transposed);
  const auto column = [&](const SsaValue& value) {
    return value.shape.size() == 2 ? value : reshape(value, {value.shape[0], 1});
  };
  const SsaValue right = emitLuSolve(lu, column(g));
  const SsaValue outer = matrixProduct(right, column(p.answers()[0]), 1, 1);
  return {-outer, right.shape == g.shape ? right : reshape(right, g.shape)};
}

std::vector<Tensor> linearSolveOracle(const PullbackValues& values) {
  const int64_t size = values.inputs[0].shape()[0];
  const auto matrix = [&](const Tensor& tensor) {
    return oracle::matrixAt(tensor.reshaped({size, tensor.size() / size}).value(), 0);
  };
  const QuadMatrix a = matrix(values.inputs[0]);
  const QuadMatrix right = oracle::luSolve(a.transposed(), matrix(values.cotangents[0]));
  QuadMatrix outer = right * oracle::luSolve(a, matrix(values.inputs[1])).transposed();
  for (int64_t i = 0; i < size * size; ++i)
    outer(i / size, i % size) = outer(i / size, i % size) * oracle::Quad(-1);
  const Tensor& b = values.inputs[1];
  const Tensor wide(b.type(), {size, b.size() / size});
  return {stored(outer, values.inputs[0]), stored(right, wide).reshaped(b.shape()).value()};
}

}  // namespace

VINTAGE_DERIVATIVES(factorizationDerivatives) {
  DerivativeRules rules;
  for (const Shape& shape : {Shape{3, 3}, Shape{4, 4}, Shape{8, 8}}) {
    rules.push_back({.primitive = "cholesky",
                     .shapes = {shape},
                     .types = kSolverTypes,
                     .write = writeCholesky,
                     .oracle = choleskyOracle,
                     .units = 256});
  }
  rules.push_back({.primitive = "lu",
                   .shapes = {{5, 5}},
                   .types = kSolverTypes,
                   .write = writeLu,
                   .oracle = luOracle,
                   // Matrices of random entries: the condition number counts twice.
                   .units = 4096,
                   // Compared element by element: without ties among the pivots the result is
                   // unique.
                   .answers = [](ElementType type) {
                     const double unit = 512 * epsilonOf(type);
                     return std::vector{withinRelative(unit, unit), exactly(), exactly()};
                   }});
  for (const Shape& right : {Shape{4}, Shape{3, 2}}) {
    rules.push_back({.primitive = "custom_linear_solve",
                     .label = "symmetric=false",
                     .shapes = {{right[0], right[0]}, right},
                     .types = kSolverTypes,
                     .write = writeLinearSolve,
                     .oracle = linearSolveOracle,
                     .units = 256});
  }
  return rules;
}

SsaValue matrixProduct(const SsaValue& a, const SsaValue& b, int64_t left, int64_t right) {
  return dotGeneral(a, b, {{}, {}, {left}, {right}}, "HIGHEST");
}

SsaValue triangleWithin(const SsaValue& x, bool lower, bool strict) {
  FunctionBuilder& builder = *x.builder;
  const SsaValue rows = builder.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = builder.iota(ElementType::kI32, x.shape, 1);
  const char* direction = lower ? (strict ? "GT" : "GE") : (strict ? "LT" : "LE");
  const SsaValue inside = compare(direction, rows, columns);
  return select(inside, x, x.like(0));
}

SsaValue identityLike(const SsaValue& x) {
  FunctionBuilder& builder = *x.builder;
  const SsaValue rows = builder.iota(ElementType::kI32, x.shape, 0);
  const SsaValue columns = builder.iota(ElementType::kI32, x.shape, 1);
  return convert(compare("EQ", rows, columns), x.type);
}

}  // namespace vintage::primitives

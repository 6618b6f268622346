// The derivative of triangular_solve: a solve again, with the transposed triangle,
// and the product of what it gives with the solution.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/derivatives/matrices.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/catalogue/linear_algebra/triangular_solve.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::QuadComplex;
using oracle::QuadMatrix;

struct SolveUse {
  TriangularSolve solve;
  Shape a, b;
};

const char* nameOf(Transposition transposition) {
  switch (transposition) {
    case Transposition::kNone: return "NO_TRANSPOSE";
    case Transposition::kTranspose: return "TRANSPOSE";
    case Transposition::kAdjoint: return "ADJOINT";
  }
  return "";
}

// With M for op(A): the right side's cotangent is M^-T times the solution's, that of
// M is minus the product of both with the solution, and A's is what op makes of it.
SsaValues writeSolve(const PullbackWriter& p, const TriangularSolve& solve) {
  FunctionWriter& writer = p.writer;
  static constexpr int64_t kSwapped[] = {1, 0};
  const SsaValue x = p.answers()[0];
  TriangularSolve turned = solve;
  SsaValue a = p.inputs[0];
  switch (solve.transposition) {
    case Transposition::kNone: turned.transposition = Transposition::kTranspose; break;
    case Transposition::kTranspose: turned.transposition = Transposition::kNone; break;
    case Transposition::kAdjoint:
      turned.transposition = Transposition::kNone;
      a = conjugateOf(writer, a);
  }
  const SsaValue right = emitTriangularSolve(writer, a, p.cotangents[0], turned, p.platform);
  SsaValue matrix = solve.left ? matrixProduct(writer, right, x, 1, 1)
                               : matrixProduct(writer, x, right, 0, 0);
  matrix = writer.same("stablehlo.negate", matrix);
  if (solve.transposition != Transposition::kNone) matrix = writer.transpose(matrix, kSwapped);
  if (solve.transposition == Transposition::kAdjoint) matrix = conjugateOf(writer, matrix);
  return {triangleWithin(writer, matrix, solve.lower, solve.unitDiagonal), right};
}

QuadMatrix conjugated(const QuadMatrix& matrix) {
  return matrix.conjugateTransposed().transposed();
}

std::vector<Tensor> solveOracle(const PullbackValues& values, const TriangularSolve& solve) {
  const QuadMatrix a = oracle::matrixAt(values.inputs[0], 0);
  const QuadMatrix g = oracle::matrixAt(values.cotangents[0], 0);
  const QuadMatrix b = oracle::matrixAt(values.inputs[1], 0);
  const bool plain = solve.transposition == Transposition::kNone;
  const QuadMatrix m = plain ? a
                       : solve.transposition == Transposition::kTranspose ? a.transposed()
                                                                          : a.conjugateTransposed();
  const bool lower = solve.lower == plain;
  const auto by = [&](const QuadMatrix& right, bool transposed, bool left) {
    // X M = B is M^T X^T = B^T.
    const bool turn = transposed == left;
    const QuadMatrix found = oracle::solveTriangular(turn ? m.transposed() : m,
                                                     left ? right : right.transposed(),
                                                     turn ? !lower : lower, solve.unitDiagonal);
    return left ? found : found.transposed();
  };
  const QuadMatrix x = by(b, false, solve.left), toRight = by(g, true, solve.left);
  QuadMatrix matrix = solve.left ? toRight * x.transposed() : x.transposed() * toRight;
  if (!plain) matrix = matrix.transposed();
  if (solve.transposition == Transposition::kAdjoint) matrix = conjugated(matrix);
  for (int64_t i = 0; i < matrix.rows(); ++i) {
    for (int64_t j = 0; j < matrix.columns(); ++j) {
      const bool inside = solve.lower ? i >= j : i <= j;
      const bool counts = inside && !(solve.unitDiagonal && i == j);
      matrix(i, j) = counts ? matrix(i, j) * oracle::Quad(-1) : QuadComplex{};
    }
  }
  Tensor toMatrix(values.inputs[0].type(), values.inputs[0].shape());
  Tensor toB(values.inputs[1].type(), values.inputs[1].shape());
  oracle::storeMatrix(toMatrix, 0, matrix);
  oracle::storeMatrix(toB, 0, toRight);
  return {std::move(toMatrix), std::move(toB)};
}

std::vector<SolveUse> solveUses() {
  using enum Transposition;
  std::vector<SolveUse> uses;
  for (bool left : {true, false}) {
    for (bool lower : {true, false}) {
      for (Transposition transposition : {kNone, kTranspose, kAdjoint}) {
        uses.push_back(
            {{left, lower, false, transposition}, {4, 4}, left ? Shape{4, 3} : Shape{3, 4}});
      }
    }
  }
  uses.push_back({{true, true, true, kNone}, {4, 4}, {4, 1}});
  return uses;
}

}  // namespace

DerivativeRules triangularSolveDerivatives() {
  DerivativeRules rules;
  for (const SolveUse& use : solveUses()) {
    const TriangularSolve& solve = use.solve;
    rules.push_back({.primitive = "triangular_solve",
                     .label = fmt::format("left={}_lower={}_unit={}_{}", solve.left, solve.lower,
                                          solve.unitDiagonal, nameOf(solve.transposition)),
                     .shapes = {use.a, use.b},
                     .types = solvedTypes,
                     .write = [solve](const PullbackWriter& p) { return writeSolve(p, solve); },
                     .oracle = [solve](const PullbackValues& v) { return solveOracle(v, solve); },
                     // The triangles are well conditioned by their make.
                     .units = 64});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue

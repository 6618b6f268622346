// triangular_solve: X with op(A) X = B, or X op(A) = B.
#include "primitives/catalogue/linear_algebra/factorizations.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using Solve = TriangularSolve;

const char* stablehloName(Transposition transposition) {
  switch (transposition) {
    case Transposition::kNone:
      return "NO_TRANSPOSE";
    case Transposition::kTranspose:
      return "TRANSPOSE";
    case Transposition::kAdjoint:
      return "ADJOINT";
  }
  return "";
}

oracle::QuadMatrix applied(const oracle::QuadMatrix& a, Transposition transposition) {
  switch (transposition) {
    case Transposition::kNone:
      return a;
    case Transposition::kTranspose:
      return a.transposed();
    case Transposition::kAdjoint:
      return a.conjugateTransposed();
  }
  return a;
}

Tensor solved(const Tensor& a, const Tensor& b, const Solve& solve) {
  Tensor result(b.type(), b.shape());
  for (int64_t i = 0; i < oracle::matrixCount(a); ++i) {
    oracle::QuadMatrix triangle = applied(oracle::matrixAt(a, i), solve.transposition);
    bool lower = solve.lower == (solve.transposition == Transposition::kNone);
    oracle::QuadMatrix right = oracle::matrixAt(b, i);
    if (!solve.left) {
      // X T = B is T^T X^T = B^T.
      triangle = triangle.transposed();
      lower = !lower;
      right = right.transposed();
    }
    const oracle::QuadMatrix x =
        oracle::solveTriangular(triangle, right, lower, solve.unitDiagonal);
    oracle::storeMatrix(result, i, solve.left ? x : x.transposed());
  }
  return result;
}

std::string labelOf(const Solve& solve) {
  return fmt::format("left={}_lower={}_unit={}_{}", solve.left, solve.lower, solve.unitDiagonal,
                     stablehloName(solve.transposition));
}

CaseSpecification solveCase(ElementType type, const Shape& a, const Shape& b, Solve solve) {
  const double unit = 32 * epsilonOf(type);
  return {.primitive = "triangular_solve",
          .label = labelOf(solve),
          .arguments = {{type, a}, {type, b}},
          .emit = [solve](Arguments x) { return emitTriangularSolve(x[0], x[1], solve); },
          .expect = [solve](Tensors inputs) { return solved(inputs[0], inputs[1], solve); },
          .oracle = "quadruple",
          .comparators = {withinRelative(unit, unit)},
          .makeInputs =
              [=](Random& random) {
                const Structure structure = solve.lower ? Structure::kLower : Structure::kUpper;
                return std::vector<Tensor>{makeMatrix(type, a, structure, random),
                                           makeMatrix(type, b, Structure::kGeneral, random)};
              }};
}

// With matrices of four rows: each use and the shape of its right side.
std::vector<std::pair<Solve, Shape>> singleSolves() {
  using enum Transposition;
  std::vector<std::pair<Solve, Shape>> uses;
  for (bool left : {true, false}) {
    for (bool lower : {true, false}) {
      for (Transposition transposition : {kNone, kTranspose, kAdjoint})
        uses.push_back({{left, lower, false, transposition}, left ? Shape{4, 3} : Shape{3, 4}});
    }
  }
  uses.push_back({{true, true, true, kNone}, {4, 1}});
  return uses;
}

// The derivative of triangular_solve: another solve, with the transposed triangle, and the product
// of its result with the solution.

using oracle::QuadComplex;
using oracle::QuadMatrix;

// With M for op(A): the right side's cotangent is M^-T times the solution's, that of M is minus the
// product of both with the solution, and that of A follows by op.
SsaValues writeSolve(const Pullback& p, const Solve& solve) {
  static constexpr int64_t kSwapped[] = {1, 0};
  const SsaValue x = p.answers()[0];
  Solve turned = solve;
  SsaValue a = p.inputs[0];
  const bool plain = solve.transposition == Transposition::kNone;
  turned.transposition = plain ? Transposition::kTranspose : Transposition::kNone;
  if (solve.transposition == Transposition::kAdjoint) a = conjugated(a);
  const SsaValue right = emitTriangularSolve(a, p.cotangents[0], turned);
  SsaValue matrix = solve.left ? matrixProduct(right, x, 1, 1) : matrixProduct(x, right, 0, 0);
  matrix = -matrix;
  if (!plain) matrix = transpose(matrix, kSwapped);
  if (solve.transposition == Transposition::kAdjoint) matrix = conjugated(matrix);
  return {triangleWithin(matrix, solve.lower, solve.unitDiagonal), right};
}

QuadMatrix conjugated(const QuadMatrix& matrix) {
  return matrix.conjugateTransposed().transposed();
}

std::vector<Tensor> solveOracle(const PullbackValues& values, const Solve& solve) {
  const QuadMatrix a = oracle::matrixAt(values.inputs[0], 0);
  const QuadMatrix g = oracle::matrixAt(values.cotangents[0], 0);
  const QuadMatrix b = oracle::matrixAt(values.inputs[1], 0);
  const bool plain = solve.transposition == Transposition::kNone;
  const QuadMatrix m = applied(a, solve.transposition);
  const bool lower = solve.lower == plain;
  const auto by = [&](const QuadMatrix& right, bool transposed, bool left) {
    // X M = B is M^T X^T = B^T.
    const bool turn = transposed == left;
    const QuadMatrix found =
        oracle::solveTriangular(turn ? m.transposed() : m, left ? right : right.transposed(),
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

}  // namespace

SsaValue emitTriangularSolve(const SsaValue& a, const SsaValue& b, const Solve& solve) {
  const bool narrow = a.type == ElementType::kBF16 || a.type == ElementType::kF16;
  const bool dynamic =
      std::ranges::any_of(a.shape, isSymbolic) || std::ranges::any_of(b.shape, isSymbolic);
  if (a.builder->platform() != "cpu" || (dynamic && a.shape.size() > 2) || narrow) {
    // JAX leaves these to the compiler: accelerators, and on the CPU batches of any number and the
    // types that BLAS lacks.
    return emitOne(typeOf(b), "stablehlo.triangular_solve", {a, b},
                   {{"left_side", solve.left},
                    {"lower", solve.lower},
                    {"transpose_a", stablehloName(solve.transposition)},
                    {"unit_diagonal", solve.unitDiagonal}});
  }
  const char transposition = solve.transposition == Transposition::kNone        ? 'N'
                             : solve.transposition == Transposition::kTranspose ? 'T'
                                                                                : 'C';
  return emitSolverCall({.target = lapackTarget(a.type, "trsm"),
                         .configuration = {{"diag", letter(solve.unitDiagonal ? 'U' : 'N')},
                                           {"side", letter(solve.left ? 'L' : 'R')},
                                           {"trans_x", letter(transposition)},
                                           {"uplo", letter(solve.lower ? 'L' : 'U')}},
                         .operands = {a, b},
                         .results = {{b.type, b.shape}},
                         .aliases = {{0, 1}}})[0];
}

VINTAGE_FAMILY(addTriangularSolveCases) {
  using enum Transposition;
  for (ElementType type : kSolverTypes) {
    for (const auto& [solve, right] : singleSolves())
      cases.add(solveCase(type, {4, 4}, right, solve));
    cases.add(solveCase(type, {2, 4, 4}, {2, 4, 3}, {true, true, false, kNone}));
    cases.add(solveCase(type, {2, 4, 4}, {2, 3, 4}, {false, false, true, kTranspose}));
    cases.addPoly(
        [&](Sizes s) { return solveCase(type, {4, 4}, {4, s.b}, {true, true, false, kNone}); });
    cases.addPoly([&](Sizes s) {
      return solveCase(type, {s.b, 4, 4}, {s.b, 4, 3}, {true, false, false, kAdjoint});
    });
  }
  for (ElementType type : types::kInexact.first(2)) {
    cases.add(solveCase(type, {4, 4}, {4, 1}, {true, true, true, kNone}));
    cases.add(solveCase(type, {4, 4}, {4, 3}, {true, true, false, kNone}));
  }
}

VINTAGE_DERIVATIVES(triangularSolveDerivatives) {
  DerivativeRules rules;
  for (const auto& [solve, right] : singleSolves()) {
    rules.push_back({.primitive = "triangular_solve",
                     .label = labelOf(solve),
                     .shapes = {{4, 4}, right},
                     .types = kSolverTypes,
                     .write = [solve](const Pullback& p) { return writeSolve(p, solve); },
                     .oracle = [solve](const PullbackValues& v) { return solveOracle(v, solve); },
                     // The triangles are well conditioned by construction.
                     .units = 64});
  }
  return rules;
}

}  // namespace vintage::primitives

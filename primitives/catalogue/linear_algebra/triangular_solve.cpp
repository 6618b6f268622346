// triangular_solve: X with op(A) X = B, or X op(A) = B.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/catalogue/linear_algebra/triangular_solve.h"

namespace vintage::primitives::catalogue {
namespace {

using Solve = TriangularSolve;

const char* stablehloName(Transposition transposition) {
  switch (transposition) {
    case Transposition::kNone: return "NO_TRANSPOSE";
    case Transposition::kTranspose: return "TRANSPOSE";
    case Transposition::kAdjoint: return "ADJOINT";
  }
  return "";
}

}  // namespace

SsaValue emitTriangularSolve(FunctionWriter& main, const SsaValue& a, const SsaValue& b,
                             const Solve& solve, const std::string& platform) {
  const bool narrow = a.type == ElementType::kBF16 || a.type == ElementType::kF16;
  if (platform != "cpu" || a.shape.size() > 2 || narrow) {
    // What JAX leaves to the compiler: accelerators, and on the CPU batches and
    // the types that BLAS lacks.
    return main.emit(
        b.type, b.shape,
        fmt::format("\"stablehlo.triangular_solve\"({}, {}) <{{left_side = {}, lower = "
                    "{}, transpose_a = #stablehlo<transpose {}>, unit_diagonal = {}}}> "
                    ": ({}, {}) -> {}",
                    a.name, b.name, solve.left, solve.lower, stablehloName(solve.transposition),
                    solve.unitDiagonal, typeText(a), typeText(b), typeText(b)));
  }
  const int transposition = solve.transposition == Transposition::kNone        ? 'N'
                            : solve.transposition == Transposition::kTranspose ? 'T'
                                                                               : 'C';
  return emitSolverCall(
             main, {.target = lapackTarget(a.type, "trsm"),
                    .configuration = fmt::format(
                        "diag = {} : ui8, side = {} : ui8, trans_x = {} : ui8, uplo = {} : ui8",
                        int{solve.unitDiagonal ? 'U' : 'N'}, int{solve.left ? 'L' : 'R'},
                        transposition, int{solve.lower ? 'L' : 'U'}),
                    .operands = {a, b},
                    .results = {{b.type, b.shape}},
                    .aliases = {{0, 1}},
                    .batch = a.shape.size() - 2})
      .front();
}

namespace {

oracle::QuadMatrix applied(const oracle::QuadMatrix& a, Transposition transposition) {
  switch (transposition) {
    case Transposition::kNone: return a;
    case Transposition::kTranspose: return a.transposed();
    case Transposition::kAdjoint: return a.conjugateTransposed();
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

void addSolve(CaseList& cases, ElementType type, const Shape& a, const Shape& b, Solve solve) {
  const double unit = 32 * epsilonOf(type);
  cases.add({.primitive = "triangular_solve",
             .label = fmt::format("left={}_lower={}_unit={}_{}", solve.left, solve.lower,
                                  solve.unitDiagonal, stablehloName(solve.transposition)),
             .arguments = {{type, a}, {type, b}},
             .emit = [solve](FunctionWriter& main, std::span<const SsaValue> arguments,
                             const std::string& platform) -> SsaValues {
               return {emitTriangularSolve(main, arguments[0], arguments[1], solve, platform)};
             },
             .expect = one([solve](std::span<const Tensor> inputs) -> Result<Tensor> {
               return solved(inputs[0], inputs[1], solve);
             }),
             .oracle = "quadruple",
             .comparators = {withinRelative(unit, unit)},
             .makeInputs = [=](Random& random) {
               const Structure structure = solve.lower ? Structure::kLower : Structure::kUpper;
               return std::vector<Tensor>{makeMatrix(type, a, structure, random),
                                          makeMatrix(type, b, Structure::kGeneral, random)};
             }});
}

}  // namespace

VINTAGE_FAMILY(addTriangularSolveCases) {
  using enum Transposition;
  for (ElementType type : solverTypes()) {
    for (bool left : {true, false}) {
      for (bool lower : {true, false}) {
        for (Transposition transposition : {kNone, kTranspose, kAdjoint}) {
          const Shape right = left ? Shape{4, 3} : Shape{3, 4};
          addSolve(cases, type, {4, 4}, right, {left, lower, false, transposition});
        }
      }
    }
    addSolve(cases, type, {4, 4}, {4, 1}, {true, true, true, kNone});
    addSolve(cases, type, {2, 4, 4}, {2, 4, 3}, {true, true, false, kNone});
    addSolve(cases, type, {2, 4, 4}, {2, 3, 4}, {false, false, true, kTranspose});
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSolve(list, type, {4, 4}, {4, sizes.b}, {true, true, false, kNone});
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSolve(list, type, {sizes.b, 4, 4}, {sizes.b, 4, 3}, {true, false, false, kAdjoint});
    });
  }
  for (ElementType type : narrowFloats()) {
    addSolve(cases, type, {4, 4}, {4, 1}, {true, true, true, kNone});
    addSolve(cases, type, {4, 4}, {4, 3}, {true, true, false, kNone});
  }
}

}  // namespace vintage::primitives::catalogue

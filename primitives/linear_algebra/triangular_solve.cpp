// triangular_solve: X with op(A) X = B, or X op(A) = B. tridiagonal_solve.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/families.h"
#include "primitives/linear_algebra/solver_call.h"
#include "primitives/linear_algebra/triangular_solve.h"

namespace vintage {
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
    return main.emit(b.type, b.shape,
                     fmt::format("\"stablehlo.triangular_solve\"({}, {}) <{{left_side = {}, lower = "
                                 "{}, transpose_a = #stablehlo<transpose {}>, unit_diagonal = {}}}> "
                                 ": ({}, {}) -> {}",
                                 a.name, b.name, solve.left, solve.lower,
                                 stablehloName(solve.transposition), solve.unitDiagonal,
                                 typeText(a), typeText(b), typeText(b)));
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
    const oracle::QuadMatrix x = oracle::solveTriangular(triangle, right, lower, solve.unitDiagonal);
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

// Thomas' elimination; the diagonal dominates, so no rows are exchanged.
Tensor tridiagonalSolved(std::span<const Tensor> inputs) {
  const Tensor& b = inputs[3];
  const int64_t n = b.shape()[b.shape().size() - 2];
  Tensor result(b.type(), b.shape());
  for (int64_t k = 0; k < oracle::matrixCount(b); ++k) {
    oracle::QuadMatrix x = oracle::matrixAt(b, k);
    auto band = [&](size_t which, int64_t i) {
      return oracle::Quad(oracle::load(inputs[which], k * n + i).real);
    };
    std::vector<oracle::Quad> diagonal{band(1, 0)};
    for (int64_t i = 1; i < n; ++i) {
      const oracle::Quad factor = band(0, i) / diagonal.back();
      diagonal.push_back(band(1, i) - factor * band(2, i - 1));
      for (int64_t c = 0; c < x.columns(); ++c) x(i, c) = x(i, c) - x(i - 1, c) * factor;
    }
    for (int64_t i = n; i-- > 0;) {
      for (int64_t c = 0; c < x.columns(); ++c) {
        if (i + 1 < n) x(i, c) = x(i, c) - x(i + 1, c) * band(2, i);
        x(i, c) = x(i, c) * (1 / diagonal[static_cast<size_t>(i)]);
      }
    }
    oracle::storeMatrix(result, k, x);
  }
  return result;
}

void addTridiagonal(CaseList& cases, ElementType type, const Shape& band) {
  Shape right = band;
  right.push_back(2);
  const double unit = 32 * epsilonOf(type);
  const size_t batch = band.size() - 1;
  cases.add({.primitive = "tridiagonal_solve",
             .arguments = {{type, band}, {type, band}, {type, band}, {type, right}},
             .domains = {domains::kSmall, Domain{.low = 5, .high = 9}, domains::kSmall,
                         domains::kPlain},
             .emit = [=](FunctionWriter& main, std::span<const SsaValue> arguments,
                         const std::string& platform) -> SsaValues {
               Shape infoShape(band.begin(), band.end() - 1);
               if (platform != "cpu") {
                 // The accelerators' kernel does not tell its success.
                 return emitSolverCall(main,
                                       {.target = platform == "rocm" ? "hipsparse_gtsv2_ffi"
                                                                     : "cusparse_gtsv2_ffi",
                                        .operands = {arguments.begin(), arguments.end()},
                                        .results = {{type, right}},
                                        .aliases = {{0, 3}},
                                        .batch = batch});
               }
               const SsaValues results = emitSolverCall(
                   main, {.target = lapackTarget(type, "gtsv"),
                          .operands = {arguments.begin(), arguments.end()},
                          .results = {{type, band}, {type, band}, {type, band}, {type, right},
                                      {ElementType::kI32, infoShape}},
                          .aliases = {{0, 0}, {1, 1}, {2, 2}, {3, 3}},
                          .batch = batch});
               return {nanUnless(main, results[4], "EQ", results[3])};
             },
             .expect = one([](std::span<const Tensor> inputs) -> Result<Tensor> {
               return tridiagonalSolved(inputs);
             }),
             .oracle = "quadruple",
             .comparators = {withinRelative(unit, unit)},
             .platforms = {"cpu", "cuda", "rocm"}});
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
  }
  for (ElementType type : narrowFloats()) {
    addSolve(cases, type, {4, 4}, {4, 1}, {true, true, true, kNone});
    addSolve(cases, type, {4, 4}, {4, 3}, {true, true, false, kNone});
  }
  for (ElementType type : {ElementType::kF32, ElementType::kF64}) {
    addTridiagonal(cases, type, {5});
    addTridiagonal(cases, type, {2, 4});
  }
}

}  // namespace vintage

// eigh: eigenvectors and ascending eigenvalues of a Hermitian matrix.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

SsaValues emitEigh(FunctionBuilder& main, const SsaValue& operand, bool lower,
                   const std::string& platform, bool sorted) {
  const SsaValue matrix = callTriangleOf(main, operand, lower);
  const ElementType real = realPart(matrix.type);
  const size_t batch = matrix.shape.size() - 2;
  const Shape batchShape(matrix.shape.begin(), matrix.shape.end() - 2);
  const Shape valueShape(matrix.shape.begin(), matrix.shape.end() - 1);
  if (platform == "tpu") {
    // Jacobi sweeps on the device: lower, sorted, at most 100 sweeps, tolerance.
    return emitTpuCall(main, "Eigh", {matrix}, {typeOf(matrix), {real, valueShape}},
                       fmt::format("{},{},100,1e-6", lower ? 1 : 0, sorted ? 1 : 0));
  }
  SolverCall call{.target = lapackTarget(matrix.type, "syevd", "heevd"),
                  .configuration = {{"mode", letter('V')}, {"uplo", letter(lower ? 'L' : 'U')}},
                  .operands = {matrix},
                  .results = {{matrix.type, matrix.shape}, {real, valueShape},
                              {ElementType::kI32, batchShape}},
                  .aliases = {{0, 0}},
                  .batch = batch};
  if (platform != "cpu") {
    call.target = acceleratorTarget(platform, "syevd");
    call.configuration = {{"algorithm", letter('\0')}, {"lower", lower}};
  }
  const SsaValues results = emitSolverCall(main, call);
  return nanUnless(main, results[2], "EQ", {results[0], results[1]});
}

namespace {

void addEigh(CaseList& cases, ElementType type, const Shape& shape, bool lower) {
  cases.add({.primitive = "eigh",
             .label = fmt::format("lower={}", lower),
             .arguments = {{type, shape}},
             .emit =
                 [lower](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
                   return emitEigh(main, arguments[0], lower, platform);
                 },
             .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
               const Shape& shape = inputs[0].shape();
               Tensor vectors(inputs[0].type(), shape);
               Tensor values(realPart(inputs[0].type()), Shape(shape.begin(), shape.end() - 1));
               int64_t position = 0;
               for (int64_t b = 0; b < oracle::matrixCount(vectors); ++b) {
                 const oracle::HermitianEigen eigen =
                     oracle::hermitianEigen(oracle::matrixAt(inputs[0], b));
                 oracle::storeMatrix(vectors, b, eigen.vectors);
                 for (oracle::Quad value : eigen.values) {
                   oracle::store(values, position++,
                                 {0, oracle::roundTo(values.type(), value), 0});
                 }
               }
               return std::vector<Tensor>{std::move(vectors), std::move(values)};
             },
             .oracle = "quadruple",
             .comparators = {byMeaning(Comparator::Kind::kEigenvectors, type)},
             .makeInputs = oneMatrix(type, shape, Structure::kHermitian),
             .platforms = solverPlatforms(type)});
}

}  // namespace

VINTAGE_FAMILY(addEighCases) {
  static const Shape kShapes[] = {{1, 1}, {4, 4}, {5, 5}, {2, 3, 3}};
  for (const Shape& shape : kShapes) {
    for (bool lower : {true, false}) {
      for (ElementType type : types::inexact()) {
        addEigh(cases, type, shape, lower);
      }
    }
  }
  for (ElementType type : solverTypes()) {
    cases.addPoly([&](CaseList& list, Sizes s) { addEigh(list, type, {s.b, 3, 3}, true); });
  }
}

}  // namespace vintage::primitives

// cholesky: the lower factor of a Hermitian positive definite matrix.
#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

SsaValue emitCholesky(FunctionBuilder& main, const SsaValue& matrix, const std::string& platform) {
  if (platform == "tpu") {
    const SsaValue factor =
        main.emitOne(typeOf(matrix), "stablehlo.cholesky", {matrix}, {{"lower", true}});
    return triangleOf(main, factor, true);
  }
  const size_t batch = matrix.shape.size() - 2;
  SolverCall call{.target = lapackTarget(matrix.type, "potrf"),
                  .configuration = {{"uplo", letter('L')}},
                  .operands = {matrix},
                  .results = {{matrix.type, matrix.shape},
                              {ElementType::kI32,
                               Shape(matrix.shape.begin(), matrix.shape.end() - 2)}},
                  .aliases = {{0, 0}},
                  .batch = batch};
  if (platform != "cpu") {
    call.target = acceleratorTarget(platform, "potrf");
    call.configuration = {{"lower", true}};
  }
  const SsaValues results = emitSolverCall(main, call);
  return triangleOf(main, nanUnless(main, results[1], "EQ", {results[0]})[0], true);
}

namespace {

void addCholesky(CaseList& cases, ElementType type, const Shape& shape) {
  const auto size = static_cast<double>(shape.back());
  cases.add(
      {.primitive = "cholesky",
       .arguments = {{type, shape}},
       .emit = [](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
         return emitCholesky(main, arguments[0], platform);
       },
       .expect = [](Tensors inputs) {
         Tensor result(inputs[0].type(), inputs[0].shape());
         for (int64_t b = 0; b < oracle::matrixCount(result); ++b) {
           oracle::storeMatrix(result, b, oracle::cholesky(oracle::matrixAt(inputs[0], b)));
         }
         return result;
       },
       .oracle = "quadruple",
       // Backward stable, on matrices whose condition is small by their make.
       .comparators = {withinRelative(8 * size * epsilonOf(type), 8 * size * epsilonOf(type))},
       .makeInputs = oneMatrix(type, shape, Structure::kPositiveDefinite),
       .platforms = solverPlatforms(type)});
}

}  // namespace

VINTAGE_FAMILY(addCholeskyCases) {
  static const Shape kShapes[] = {{1, 1}, {4, 4}, {8, 8}, {3, 3}, {2, 3, 3}};
  for (const Shape& shape : kShapes) {
    for (ElementType type : types::inexact()) addCholesky(cases, type, shape);
  }
  for (ElementType type : solverTypes()) {
    cases.addPoly([&](CaseList& list, Sizes s) { addCholesky(list, type, {s.b, 4, 4}); });
    cases.addPoly([&](CaseList& list, Sizes s) { addCholesky(list, type, {s.b, s.c, s.c}); });
  }
}

}  // namespace vintage::primitives

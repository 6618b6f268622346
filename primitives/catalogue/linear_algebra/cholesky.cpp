// cholesky: the lower factor of a Hermitian positive definite matrix.
#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

SsaValue emitCholesky(const SsaValue& matrix) {
  const std::string& platform = matrix.builder->platform();
  if (platform == "tpu") {
    return triangleOf(emitOne(typeOf(matrix), "stablehlo.cholesky", {matrix}, {{"lower", true}}),
                      true);
  }
  const Shape batch = batchOf(matrix.shape);
  const SsaValues results =
      emitSolverCall({.target = solverTarget(matrix, "potrf"),
                      .configuration = platform == "cpu" ? AttributeMap{{"uplo", letter('L')}}
                                                         : AttributeMap{{"lower", true}},
                      .operands = {matrix},
                      .results = {typeOf(matrix), {kInt, batch}}});
  return triangleOf(nanUnless(results[1], "EQ", {results[0]})[0], true);
}

namespace {

CaseSpecification choleskyCase(ElementType type, const Shape& shape) {
  // Backward stable, on matrices that are well conditioned by construction.
  const double unit = 8 * static_cast<double>(shape.back()) * epsilonOf(type);
  return matrixCase({.primitive = "cholesky",
                     .matrix = {type, shape},
                     .structure = Structure::kPositiveDefinite,
                     .emit = [](Arguments x) { return emitCholesky(x[0]); },
                     .results = {{type, shape}},
                     .expect =
                         [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           oracle::storeMatrix(results[0], b, oracle::cholesky(a));
                         },
                     .comparator = withinRelative(unit, unit)});
}

}  // namespace

VINTAGE_FAMILY(addCholeskyCases) {
  static const Shape kShapes[] = {{1, 1}, {4, 4}, {8, 8}, {3, 3}, {2, 3, 3}};
  for (const Shape& shape : kShapes) {
    for (ElementType type : types::kInexact) cases.add(choleskyCase(type, shape));
  }
  for (ElementType type : kSolverTypes) {
    cases.addPoly([&](Sizes s) { return choleskyCase(type, {s.b, 4, 4}); });
    cases.addPoly([&](Sizes s) { return choleskyCase(type, {s.b, s.c, s.c}); });
  }
}

}  // namespace vintage::primitives

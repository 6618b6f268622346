// eigh: eigenvectors and ascending eigenvalues of a Hermitian matrix.
#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

SsaValues emitEigh(const SsaValue& operand, bool lower, bool sorted) {
  const SsaValue matrix = callTriangleOf(operand, lower);
  const std::string& platform = matrix.builder->platform();
  const Shape batch = batchOf(matrix.shape);
  const TensorType values{realPart(matrix.type), withLast(batch, matrix.shape.back())};
  if (platform == "tpu") {
    // Jacobi sweeps on the device: lower, sorted, at most 100 sweeps, tolerance.
    return emitTpuCall("Eigh", {matrix}, {typeOf(matrix), values},
                       fmt::format("{},{},100,1e-6", lower ? 1 : 0, sorted ? 1 : 0));
  }
  const SsaValues results = emitSolverCall(
      {.target = solverTarget(matrix, "syevd", "heevd", "syevd"),
       .configuration =
           platform == "cpu"
               ? AttributeMap{{"mode", letter('V')}, {"uplo", letter(lower ? 'L' : 'U')}}
               : AttributeMap{{"algorithm", letter('\0')}, {"lower", lower}},
       .operands = {matrix},
       .results = {typeOf(matrix), values, {kInt, batch}}});
  return nanUnless(results[2], "EQ", {results[0], results[1]});
}

namespace {

CaseSpecification eighCase(ElementType type, const Shape& shape, bool lower) {
  return matrixCase(
      {.primitive = "eigh",
       .label = fmt::format("lower={}", lower),
       .matrix = {type, shape},
       .structure = Structure::kHermitian,
       .emit = [lower](Arguments x) { return emitEigh(x[0], lower); },
       .results = {{type, shape}, {realPart(type), withLast(batchOf(shape), shape.back())}},
       .expect =
           [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
             const oracle::HermitianEigen eigen = oracle::hermitianEigen(a);
             oracle::storeMatrix(results[0], b, eigen.vectors);
             oracle::storeVector<oracle::Quad>(results[1], b, eigen.values);
           },
       .comparator = byMeaning(Comparator::Kind::kEigenvectors, type)});
}

}  // namespace

VINTAGE_FAMILY(addEighCases) {
  static const Shape kShapes[] = {{1, 1}, {4, 4}, {5, 5}, {2, 3, 3}};
  for (const Shape& shape : kShapes) {
    for (bool lower : {true, false}) {
      for (ElementType type : types::kInexact) cases.add(eighCase(type, shape, lower));
    }
  }
  for (ElementType type : kSolverTypes)
    cases.addPoly([&](Sizes s) { return eighCase(type, {s.b, 3, 3}, true); });
}

}  // namespace vintage::primitives

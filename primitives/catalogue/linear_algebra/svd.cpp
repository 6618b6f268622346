// svd: singular values, and both orthonormal factors if wanted.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Factors {
  Shape values, u, vh;
};

Factors factorShapes(const Shape& shape, bool full) {
  const Shape batch = batchOf(shape);
  const int64_t rows = shape[batch.size()], columns = shape.back();
  const int64_t inner = std::min(rows, columns);
  return {withLast(batch, inner), matrixShape(batch, rows, full ? rows : inner),
          matrixShape(batch, full ? columns : inner, columns)};
}

// JAX's own order: singular values, U, V^H.
SsaValues emitSvd(const SsaValue& matrix, bool full, bool vectors) {
  const std::string& platform = matrix.builder->platform();
  if (platform == "tpu") return emitTpuSvd(matrix, full, vectors);
  const Shape batch = batchOf(matrix.shape);
  const Factors shapes = factorShapes(matrix.shape, full);
  // LAPACK's jobz: A all columns, S the leading ones, N none.
  const char mode = !vectors ? 'N' : full ? 'A' : 'S';
  const SsaValues results =
      emitSolverCall({.target = solverTarget(matrix, "gesdd", "", "gesvd"),
                      .configuration = platform == "cpu" ? AttributeMap{{"mode", letter(mode)}}
                                                         : AttributeMap{{"compute_uv", vectors},
                                                                        {"full_matrices", full},
                                                                        {"transposed", false}},
                      .operands = {matrix},
                      .results = {typeOf(matrix),
                                  {realPart(matrix.type), shapes.values},
                                  {matrix.type, shapes.u},
                                  {matrix.type, shapes.vh},
                                  {kInt, batch}}});
  SsaValues returned{results[1]};
  if (vectors) returned.insert(returned.end(), {results[2], results[3]});
  return nanUnless(results[4], "EQ", returned);
}

CaseSpecification svdCase(ElementType type, const Shape& shape, bool full, bool vectors) {
  Comparator comparator = withinRelative(32 * epsilonOf(type), 32 * epsilonOf(type));
  const Factors shapes = factorShapes(shape, full);
  Types results{{realPart(type), shapes.values}};
  if (vectors) {
    comparator = byMeaning(Comparator::Kind::kSingularVectors, type, 32);
    comparator.roles = {"s", "u", "vh"};
    results.insert(results.end(), {{type, shapes.u}, {type, shapes.vh}});
  }
  return matrixCase({.primitive = "svd",
                     .label = fmt::format("full={}_uv={}", full, vectors),
                     .matrix = {type, shape},
                     .emit = [=](Arguments x) { return emitSvd(x[0], full, vectors); },
                     .results = results,
                     .expect =
                         [=](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           const oracle::Svd svd = oracle::singularValues(a);
                           oracle::storeVector<oracle::Quad>(results[0], b, svd.values);
                           if (!vectors) return;
                           const int64_t left = shapes.u.back();
                           const int64_t right = shapes.vh[shapes.vh.size() - 2];
                           oracle::storeMatrix(results[1], b, svd.u.block(a.rows(), left));
                           oracle::storeMatrix(results[2], b, svd.vh.block(right, a.columns()));
                         },
                     .comparator = comparator});
}

}  // namespace

VINTAGE_FAMILY(addSvdCases) {
  static const Shape kShapes[] = {{1, 1}, {3, 3}, {5, 3}, {3, 5}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (bool full : {true, false}) {
      for (bool vectors : {true, false}) {
        // Without vectors `full` changes nothing; JAX distinguishes the two nevertheless.
        for (ElementType type : types::kInexact) cases.add(svdCase(type, shape, full, vectors));
      }
    }
  }
  for (ElementType type : kSolverTypes) {
    for (bool vectors : {true, false})
      cases.addPoly([&](Sizes s) { return svdCase(type, {s.b, 4, 3}, false, vectors); });
  }
}

}  // namespace vintage::primitives

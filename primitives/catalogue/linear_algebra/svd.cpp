// svd: singular values, and both orthonormal factors if wanted.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Factors {
  Shape values, u, vh;
};

Factors factorShapes(const Shape& shape, bool full) {
  const Shape batch(shape.begin(), shape.end() - 2);
  const int64_t rows = shape[batch.size()], columns = shape[batch.size() + 1];
  const int64_t inner = std::min(rows, columns);
  Factors factors{batch, matrixShape(batch, rows, full ? rows : inner),
                  matrixShape(batch, full ? columns : inner, columns)};
  factors.values.push_back(inner);
  return factors;
}

// JAX's own order: singular values, U, V^H.
SsaValues emitSvd(FunctionBuilder& main, const SsaValue& matrix, bool full, bool vectors,
                  const std::string& platform) {
  if (platform == "tpu") return emitTpuSvd(main, matrix, full, vectors);
  const ElementType real = realPart(matrix.type);
  const Shape batchShape(matrix.shape.begin(), matrix.shape.end() - 2);
  const size_t batch = batchShape.size();
  const Factors shapes = factorShapes(matrix.shape, full);
  const bool cpu = platform == "cpu";
  // LAPACK's jobz: A all columns, S the leading ones, N none.
  const char mode = !vectors ? 'N' : full ? 'A' : 'S';
  const SsaValues results = emitSolverCall(
      main,
      {.target = cpu ? lapackTarget(matrix.type, "gesdd") : acceleratorTarget(platform, "gesvd"),
       .configuration = cpu ? AttributeMap{{"mode", letter(mode)}}
                            : AttributeMap{{"compute_uv", vectors},
                                           {"full_matrices", full},
                                           {"transposed", false}},
       .operands = {matrix},
       .results = {{matrix.type, matrix.shape},
                   {real, shapes.values},
                   {matrix.type, shapes.u},
                   {matrix.type, shapes.vh},
                   {ElementType::kI32, batchShape}},
       .aliases = {{0, 0}},
       .batch = batch});
  SsaValues returned{results[1]};
  if (vectors) returned.insert(returned.end(), {results[2], results[3]});
  return nanUnless(main, results[4], "EQ", returned);
}

void addSvd(CaseList& cases, ElementType type, const Shape& shape, bool full, bool vectors) {
  Comparator comparator = withinRelative(32 * epsilonOf(type), 32 * epsilonOf(type));
  if (vectors) {
    comparator = byMeaning(Comparator::Kind::kSingularVectors, type, 32);
    comparator.roles = {"s", "u", "vh"};
  }
  cases.add({.primitive = "svd",
             .label = fmt::format("full={}_uv={}", full, vectors),
             .arguments = {{type, shape}},
             .emit =
                 [=](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
                   return emitSvd(main, arguments[0], full, vectors, platform);
                 },
             .expect = [=](Tensors inputs) -> Result<std::vector<Tensor>> {
               const Factors shapes = factorShapes(inputs[0].shape(), full);
               Tensor values(realPart(type), shapes.values), u(type, shapes.u), vh(type, shapes.vh);
               int64_t position = 0;
               for (int64_t b = 0; b < oracle::matrixCount(inputs[0]); ++b) {
                 const oracle::Svd svd = oracle::singularValues(oracle::matrixAt(inputs[0], b));
                 for (oracle::Quad value : svd.values) {
                   oracle::store(values, position++, {0, oracle::roundTo(values.type(), value), 0});
                 }
                 oracle::storeMatrix(u, b, svd.u.firstColumns(shapes.u.back()));
                 oracle::storeMatrix(vh, b,
                                     svd.vh.transposed()
                                         .firstColumns(shapes.vh[shapes.vh.size() - 2])
                                         .transposed());
               }
               if (!vectors) return std::vector<Tensor>{std::move(values)};
               return std::vector<Tensor>{std::move(values), std::move(u), std::move(vh)};
             },
             .oracle = "quadruple",
             .comparators = {comparator},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = solverPlatforms(type)});
}

}  // namespace

VINTAGE_FAMILY(addSvdCases) {
  static const Shape kShapes[] = {{1, 1}, {3, 3}, {5, 3}, {3, 5}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (bool full : {true, false}) {
      for (bool vectors : {true, false}) {
        // Without vectors there is nothing for `full` to change; JAX distinguishes
        // the two all the same.
        for (ElementType type : types::inexact()) {
          addSvd(cases, type, shape, full, vectors);
        }
      }
    }
  }
  for (ElementType type : solverTypes()) {
    for (bool vectors : {true, false}) {
      cases.addPoly([&](CaseList& list, Sizes s) {
        addSvd(list, type, {s.b, 4, 3}, false, vectors);
      });
    }
  }
}

}  // namespace vintage::primitives

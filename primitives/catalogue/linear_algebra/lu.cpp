// lu: packed factors, the exchanges of rows, and the permutation they make.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// One exchange in the loop of permutationByLoop: the rows of all batches at once.
SsaValue exchange(FunctionBuilder& body, const SsaValue& step, const SsaValue& permutation,
                  const SsaValue& pivots) {
  const int64_t batches = permutation.shape[0];
  const SsaValue zero = body.constant(kInt, 0);
  auto column = [&](const SsaValue& operand) {
    return body.dynamicSlice(operand, {zero, step}, {batches, 1});
  };
  const SsaValue target = column(pivots);      // Which row to exchange with.
  const SsaValue here = column(permutation);
  // Indices (batch, target) for a gather and a scatter of single elements.
  const SsaValue batch = body.iota(kInt, {batches, 1}, 0);
  const SsaValue indices = body.concatenate({batch, target}, 1);
  static const oracle::IndexingDimensions kElements{{}, {0, 1}, {}, {}, {0, 1}, 1};
  const SsaValue there = gather(body, permutation, indices, kElements, {1, 1});
  const SsaValue update = body.reshape(there, {batches, 1});
  const SsaValue written = body.dynamicUpdateSlice(permutation, update, {zero, step});
  const SsaValue moved = body.reshape(here, {batches});
  return scatter(body, "replace", written, indices, moved, kElements);
}

// Where the platform has no kernel for it, JAX replays the exchanges in a loop.
SsaValue permutationByLoop(FunctionBuilder& main, const SsaValue& pivots, int64_t rows) {
  const int64_t count = pivots.shape.back();
  int64_t batches = 1;
  for (size_t i = 0; i + 1 < pivots.shape.size(); ++i) batches *= pivots.shape[i];
  Shape shape = pivots.shape;
  shape.back() = rows;
  const SsaValue initial = main.iota(kInt, {batches, rows}, 1);
  const SsaValue flatPivots = main.reshape(pivots, {batches, count});
  const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
  const SsaValue limit = main.constant(kInt, count);
  const SsaValue carried[] = {zero, initial};
  const SsaValues results = main.whileLoop(
      carried, [&](Arguments values) { return main.compare("LT", values[0], limit); },
      [&](Arguments values) -> SsaValues {
        const SsaValue next = exchange(main, values[0], values[1], flatPivots);
        return {main.same("stablehlo.add", values[0], one), next};
      });
  return main.reshape(results[1], shape);
}

}  // namespace

SsaValue emitPivotsToPermutation(FunctionBuilder& main, const SsaValue& pivots, int64_t rows,
                                 const std::string& platform) {
  if (platform != "cuda" && platform != "rocm") return permutationByLoop(main, pivots, rows);
  Shape shape = pivots.shape;
  shape.back() = rows;
  return emitSolverCall(main, {.target = platform == "rocm" ? "hip_lu_pivots_to_permutation"
                                                            : "cu_lu_pivots_to_permutation",
                               .operands = {pivots},
                               .results = {{kInt, shape}},
                               .batch = shape.size() - 1})
      .front();
}

SsaValues emitLu(FunctionBuilder& main, const SsaValue& matrix, const std::string& platform) {
  const size_t batch = matrix.shape.size() - 2;
  const Shape batchShape(matrix.shape.begin(), matrix.shape.end() - 2);
  const int64_t rows = matrix.shape[batch], columns = matrix.shape[batch + 1];
  Shape pivotShape = batchShape, permutationShape = batchShape;
  pivotShape.push_back(std::min(rows, columns));
  permutationShape.push_back(rows);
  if (platform == "tpu") {
    return emitTpuCall(main, "LuDecomposition", {matrix},
                       {typeOf(matrix), {kInt, pivotShape}, {kInt, permutationShape}});
  }
  const SsaValues factored = emitSolverCall(
      main, {.target = platform == "cpu" ? lapackTarget(matrix.type, "getrf")
                                         : acceleratorTarget(platform, "getrf"),
             .operands = {matrix},
             .results = {{matrix.type, matrix.shape}, {kInt, pivotShape}, {kInt, batchShape}},
             .aliases = {{0, 0}},
             .batch = batch});
  // LAPACK counts rows from one.
  const SsaValue one = main.fill(kInt, 1, pivotShape);
  const SsaValue pivots = main.same("stablehlo.subtract", factored[1], one);
  const SsaValue packed = nanUnless(main, factored[2], "GE", {factored[0]})[0];
  return {packed, pivots, emitPivotsToPermutation(main, pivots, rows, platform)};
}

namespace {

void addLu(CaseList& cases, ElementType type, const Shape& shape) {
  cases.add(
      {.primitive = "lu",
       .arguments = {{type, shape}},
       .emit = [](FunctionBuilder& main, Arguments arguments,
                  const std::string& platform) { return emitLu(main, arguments[0], platform); },
       .expect = [](Tensors inputs) -> Result<std::vector<Tensor>> {
         const Shape& shape = inputs[0].shape();
         Shape pivotShape(shape.begin(), shape.end() - 1);
         Shape permutationShape = pivotShape;
         pivotShape.back() = std::min(shape.back(), pivotShape.back());
         Tensor packed(inputs[0].type(), shape), pivots(kInt, pivotShape),
             permutation(kInt, permutationShape);
         int64_t pivotPosition = 0, permutationPosition = 0;
         for (int64_t b = 0; b < oracle::matrixCount(packed); ++b) {
           const oracle::Lu factors = oracle::luDecomposition(oracle::matrixAt(inputs[0], b));
           oracle::storeMatrix(packed, b, factors.packed);
           for (int64_t pivot : factors.pivots) oracle::store(pivots, pivotPosition++, {pivot});
           for (int64_t row : factors.permutation) {
             oracle::store(permutation, permutationPosition++, {row});
           }
         }
         return std::vector<Tensor>{std::move(packed), std::move(pivots), std::move(permutation)};
       },
       .oracle = "quadruple",
       .comparators = {byMeaning(Comparator::Kind::kLu, type)},
       .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
       .platforms = solverPlatforms(type)});
}

}  // namespace

VINTAGE_FAMILY(addLuCases) {
  static const Shape kShapes[] = {{5, 5}, {3, 5}, {5, 3}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (ElementType type : types::inexact()) addLu(cases, type, shape);
  }
  for (ElementType type : solverTypes()) {
    cases.addPoly(
        [&](CaseList& list, Sizes sizes) { addLu(list, type, {sizes.b, 3, 4}); });
  }
}

}  // namespace vintage::primitives

// lu: packed factors, the exchanges of rows, and the permutation they make.
#include <algorithm>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// One exchange in the loop of permutationByLoop: the rows of all batches at once.
SsaValue exchange(const SsaValue& step, const SsaValue& permutation, const SsaValue& pivots) {
  FunctionBuilder& body = *step.builder;
  const int64_t batches = permutation.shape[0];
  const SsaValue zero = body.constant(kInt, 0);
  auto column = [&](const SsaValue& operand) {
    return dynamicSlice(operand, {zero, step}, {batches, 1});
  };
  const SsaValue target = column(pivots);  // Which row to exchange with.
  const SsaValue here = column(permutation);
  // Indices (batch, target) for a gather and a scatter of single elements.
  const SsaValue batch = body.iota(kInt, {batches, 1}, 0);
  const SsaValue indices = concatenate({batch, target}, 1);
  static const oracle::IndexingDimensions kElements{{}, {0, 1}, {}, {}, {0, 1}, 1};
  const SsaValue there = gather(permutation, indices, kElements, {1, 1});
  const SsaValue update = reshape(there, {batches, 1});
  const SsaValue written = dynamicUpdateSlice(permutation, update, {zero, step});
  const SsaValue moved = reshape(here, {batches});
  return scatter("replace", written, indices, moved, kElements);
}

// Without a kernel for it on the platform, JAX replays the exchanges in a loop.
SsaValue permutationByLoop(const SsaValue& pivots, int64_t rows) {
  FunctionBuilder& main = *pivots.builder;
  const int64_t count = pivots.shape.back();
  int64_t batches = 1;
  for (size_t i = 0; i + 1 < pivots.shape.size(); ++i) batches *= pivots.shape[i];
  Shape shape = pivots.shape;
  shape.back() = rows;
  const SsaValue initial = main.iota(kInt, {batches, rows}, 1);
  const SsaValue flatPivots = reshape(pivots, {batches, count});
  const SsaValue zero = main.constant(kInt, 0), one = main.constant(kInt, 1);
  const SsaValue limit = main.constant(kInt, count);
  const SsaValue carried[] = {zero, initial};
  const SsaValues results = whileLoop(
      carried, [&](Arguments values) { return compare("LT", values[0], limit); },
      [&](Arguments values) -> SsaValues {
        const SsaValue next = exchange(values[0], values[1], flatPivots);
        return {values[0] + one, next};
      });
  return reshape(results[1], shape);
}

CaseSpecification luCase(ElementType type, const Shape& shape) {
  const Shape batch = batchOf(shape);
  const int64_t rows = shape[batch.size()];
  return matrixCase({.primitive = "lu",
                     .matrix = {type, shape},
                     .emit = [](Arguments x) { return emitLu(x[0]); },
                     .results = {{type, shape},
                                 {kInt, withLast(batch, std::min(rows, shape.back()))},
                                 {kInt, withLast(batch, rows)}},
                     .expect =
                         [](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
                           const oracle::Lu lu = oracle::luDecomposition(a);
                           const auto storeRows = [b](Tensor& tensor,
                                                      const std::vector<int64_t>& rows) {
                             int64_t position = b * static_cast<int64_t>(rows.size());
                             for (int64_t row : rows) oracle::store(tensor, position++, {row});
                           };
                           oracle::storeMatrix(results[0], b, lu.packed);
                           storeRows(results[1], lu.pivots);
                           storeRows(results[2], lu.permutation);
                         },
                     .comparator = byMeaning(Comparator::Kind::kLu, type)});
}

}  // namespace

SsaValue emitPivotsToPermutation(const SsaValue& pivots, int64_t rows) {
  const std::string& platform = pivots.builder->platform();
  if (platform != "cuda" && platform != "rocm") return permutationByLoop(pivots, rows);
  Shape shape = pivots.shape;
  shape.back() = rows;
  return emitSolverCall({.target = platform == "rocm" ? "hip_lu_pivots_to_permutation"
                                                      : "cu_lu_pivots_to_permutation",
                         .operands = {pivots},
                         .results = {{kInt, shape}},
                         .aliases = {},
                         .batch = shape.size() - 1})[0];
}

SsaValues emitLu(const SsaValue& matrix) {
  const Shape batch = batchOf(matrix.shape);
  const int64_t rows = matrix.shape[batch.size()];
  const Shape pivotShape = withLast(batch, std::min(rows, matrix.shape.back()));
  if (matrix.builder->platform() == "tpu") {
    return emitTpuCall("LuDecomposition", {matrix},
                       {typeOf(matrix), {kInt, pivotShape}, {kInt, withLast(batch, rows)}});
  }
  const SsaValues factored =
      emitSolverCall({.target = solverTarget(matrix, "getrf"),
                      .operands = {matrix},
                      .results = {typeOf(matrix), {kInt, pivotShape}, {kInt, batch}}});
  // LAPACK counts rows from one.
  const SsaValue pivots = factored[1] - 1.0;
  const SsaValue packed = nanUnless(factored[2], "GE", {factored[0]})[0];
  return {packed, pivots, emitPivotsToPermutation(pivots, rows)};
}

VINTAGE_FAMILY(addLuCases) {
  static const Shape kShapes[] = {{5, 5}, {3, 5}, {5, 3}, {2, 4, 4}};
  for (const Shape& shape : kShapes) {
    for (ElementType type : types::kInexact) cases.add(luCase(type, shape));
  }
  for (ElementType type : kSolverTypes)
    cases.addPoly([&](Sizes sizes) { return luCase(type, {sizes.b, 3, 4}); });
}

}  // namespace vintage::primitives

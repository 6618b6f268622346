// qr: Householder reflectors (geqrf), then the orthonormal factor (orgqr).
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Appends columns of zeros, or cuts columns off, as JAX does: for all of Q it pads even if nothing
// is to be added.
SsaValue withColumns(const SsaValue& matrix, int64_t columns, bool full) {
  const int64_t have = matrix.shape.back();
  if (columns == have && !full) return matrix;
  if (columns < have) return sliceAlong(matrix, matrix.shape.size() - 1, 0, columns);
  const SsaValue zero = matrix.builder->number(matrix.type, 0);
  const Shape none(matrix.shape.size(), 0);
  Shape high = none;
  high.back() = columns - have;
  return pad(matrix, zero, none, high);
}

CaseSpecification qrCase(ElementType type, const Shape& shape, bool full) {
  const Shape batch = batchOf(shape);
  const int64_t rows = shape[batch.size()], columns = shape.back();
  const int64_t inner = full ? rows : std::min(rows, columns);
  return matrixCase(
      {.primitive = "qr",
       .label = fmt::format("full={}", full),
       .matrix = {type, shape},
       .emit = [full](Arguments x) { return emitQr(x[0], full); },
       .results = {{type, matrixShape(batch, rows, inner)},
                   {type, matrixShape(batch, inner, columns)}},
       .expect =
           [inner](const oracle::QuadMatrix& a, int64_t b, std::span<Tensor> results) {
             const oracle::Qr factors = oracle::qrDecomposition(a);
             oracle::storeMatrix(results[0], b, factors.q.block(a.rows(), inner));
             oracle::storeMatrix(results[1], b, factors.r.block(inner, a.columns()));
           },
       .comparator = byMeaning(Comparator::Kind::kQr, type)});
}

}  // namespace

SsaValues emitGeqrf(const SsaValue& matrix) {
  const Shape batch = batchOf(matrix.shape);
  const int64_t reflectors = std::min(matrix.shape[batch.size()], matrix.shape.back());
  const Types results{typeOf(matrix), {matrix.type, withLast(batch, reflectors)}};
  if (matrix.builder->platform() == "tpu") return emitTpuCall("Qr", {matrix}, results);
  return emitSolverCall(
      {.target = solverTarget(matrix, "geqrf"), .operands = {matrix}, .results = results});
}

SsaValue emitHouseholderProduct(const SsaValue& packed, const SsaValue& taus) {
  const Types results{typeOf(packed)};
  if (packed.builder->platform() == "tpu")
    return emitTpuCall("ProductOfElementaryHouseholderReflectors", {packed, taus}, results)[0];
  return emitSolverCall({.target = solverTarget(packed, "orgqr", "ungqr", "orgqr"),
                         .operands = {packed, taus},
                         .results = results})[0];
}

SsaValues emitQr(const SsaValue& matrix, bool full) {
  const size_t batch = matrix.shape.size() - 2;
  const int64_t rows = matrix.shape[batch], columns = matrix.shape[batch + 1];
  const int64_t reflectors = std::min(rows, columns);
  const SsaValues factored = emitGeqrf(matrix);
  const SsaValue packed = withColumns(factored[0], full ? rows : reflectors, full);
  const SsaValue q = emitHouseholderProduct(packed, factored[1]);
  SsaValue r = factored[0];
  if (!full && rows > columns) r = sliceAlong(r, batch, 0, reflectors);
  return {q, triangleOf(r, false)};
}

VINTAGE_FAMILY(addQrCases) {
  static const Shape kShapes[] = {{1, 1}, {3, 3}, {3, 4}, {4, 3}, {2, 5, 5}, {2, 3, 2}};
  for (const Shape& shape : kShapes) {
    for (bool full : {true, false}) {
      for (ElementType type : types::kInexact) cases.add(qrCase(type, shape, full));
    }
  }
  for (ElementType type : kSolverTypes) {
    for (bool full : {true, false})
      cases.addPoly([&](Sizes s) { return qrCase(type, {s.b, 4, 3}, full); });
  }
}

}  // namespace vintage::primitives

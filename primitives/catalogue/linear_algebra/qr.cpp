// qr: Householder reflectors (geqrf), then the orthonormal factor (orgqr).
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Pads columns of zeros on, or cuts columns off, as JAX does: for all of Q it pads although
// there may be nothing to add.
SsaValue withColumns(FunctionBuilder& main, const SsaValue& matrix, int64_t columns, bool full) {
  const int64_t have = matrix.shape.back();
  if (columns == have && !full) return matrix;
  if (columns < have) return main.sliceAlong(matrix, matrix.shape.size() - 1, 0, columns);
  const SsaValue zero = main.number(matrix.type, 0);
  const Shape none(matrix.shape.size(), 0);
  Shape high = none;
  high.back() = columns - have;
  return main.pad(matrix, zero, none, high);
}

}  // namespace

SsaValues emitQr(FunctionBuilder& main, const SsaValue& matrix, bool full,
                 const std::string& platform) {
  const size_t batch = matrix.shape.size() - 2;
  const int64_t rows = matrix.shape[batch], columns = matrix.shape[batch + 1];
  const int64_t reflectors = std::min(rows, columns);
  Shape tauShape(matrix.shape.begin(), matrix.shape.end() - 2);
  tauShape.push_back(reflectors);
  const bool cpu = platform == "cpu";
  const TensorType packedType{matrix.type, matrix.shape}, tauType{matrix.type, tauShape};
  SsaValues factored;
  if (platform == "tpu") {
    factored = emitTpuCall(main, "Qr", {matrix}, {packedType, tauType});
  } else {
    factored = emitSolverCall(main, {.target = cpu ? lapackTarget(matrix.type, "geqrf")
                                                   : acceleratorTarget(platform, "geqrf"),
                                     .operands = {matrix},
                                     .results = {packedType, tauType},
                                     .aliases = {{0, 0}},
                                     .batch = batch});
  }
  const SsaValue packed = withColumns(main, factored[0], full ? rows : reflectors, full);
  SsaValue q;
  if (platform == "tpu") {
    q = emitTpuCall(main, "ProductOfElementaryHouseholderReflectors", {packed, factored[1]},
                    {typeOf(packed)})
            .front();
  } else {
    q = emitSolverCall(main, {.target = cpu ? lapackTarget(matrix.type, "orgqr", "ungqr")
                                            : acceleratorTarget(platform, "orgqr"),
                              .operands = {packed, factored[1]},
                              .results = {{packed.type, packed.shape}},
                              .aliases = {{0, 0}},
                              .batch = batch})
            .front();
  }
  SsaValue r = factored[0];
  if (!full && rows > columns) r = main.sliceAlong(r, batch, 0, reflectors);
  return {q, triangleOf(main, r, false)};
}

namespace {

void addQr(CaseList& cases, ElementType type, const Shape& shape, bool full) {
  cases.add({.primitive = "qr",
             .label = fmt::format("full={}", full),
             .arguments = {{type, shape}},
             .emit =
                 [full](FunctionBuilder& main, Arguments arguments, const std::string& platform) {
                   return emitQr(main, arguments[0], full, platform);
                 },
             .expect = [full](Tensors inputs) -> Result<std::vector<Tensor>> {
               const Shape& shape = inputs[0].shape();
               const Shape batch(shape.begin(), shape.end() - 2);
               const int64_t rows = shape[batch.size()], columns = shape[batch.size() + 1];
               const int64_t inner = full ? rows : std::min(rows, columns);
               Tensor q(inputs[0].type(), matrixShape(batch, rows, inner));
               Tensor r(inputs[0].type(), matrixShape(batch, inner, columns));
               for (int64_t b = 0; b < oracle::matrixCount(q); ++b) {
                 const oracle::Qr factors = oracle::qrDecomposition(oracle::matrixAt(inputs[0], b));
                 oracle::storeMatrix(q, b, factors.q.firstColumns(inner));
                 oracle::storeMatrix(
                     r, b, factors.r.transposed().firstColumns(inner).transposed());
               }
               return std::vector<Tensor>{std::move(q), std::move(r)};
             },
             .oracle = "quadruple",
             .comparators = {byMeaning(Comparator::Kind::kQr, type)},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = solverPlatforms(type)});
}

}  // namespace

VINTAGE_FAMILY(addQrCases) {
  static const Shape kShapes[] = {{1, 1}, {3, 3}, {3, 4}, {4, 3}, {2, 5, 5}, {2, 3, 2}};
  for (const Shape& shape : kShapes) {
    for (bool full : {true, false}) {
      for (ElementType type : types::inexact()) {
        addQr(cases, type, shape, full);
      }
    }
  }
  for (ElementType type : solverTypes()) {
    for (bool full : {true, false}) {
      cases.addPoly([&](CaseList& list, Sizes s) { addQr(list, type, {s.b, 4, 3}, full); });
    }
  }
}

}  // namespace vintage::primitives

// qr: Householder reflectors (geqrf), then the orthonormal factor (orgqr).
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/linear_algebra.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/linear_algebra/factorizations.h"
#include "primitives/catalogue/linear_algebra/solver_call.h"

namespace vintage::primitives::catalogue {
namespace {

// Pads columns of zeros on, or cuts columns off, as JAX does.
SsaValue withColumns(FunctionWriter& main, const SsaValue& matrix, int64_t columns) {
  Shape shape = matrix.shape;
  const int64_t have = shape.back();
  shape.back() = columns;
  if (columns < have) {
    std::string ranges;
    for (int64_t size : shape) ranges += fmt::format("{}0:{}", ranges.empty() ? "" : ", ", size);
    return main.emit(matrix.type, shape,
                     fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", matrix.name, ranges,
                                 typeText(matrix), tensorText(matrix.type, shape)));
  }
  const SsaValue zero = main.number(matrix.type, 0);
  const Shape none(shape.size(), 0);
  Shape high = none;
  high.back() = columns - have;
  return main.emit(
      matrix.type, shape,
      fmt::format("stablehlo.pad {}, {}, low = {}, high = {}, interior = {} : ({}, {}) "
                  "-> {}",
                  matrix.name, zero.name, listText(none), listText(high), listText(none),
                  typeText(matrix), typeText(zero), tensorText(matrix.type, shape)));
}

}  // namespace

SsaValues emitQr(FunctionWriter& main, const SsaValue& matrix, bool full,
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
    const TensorType results[] = {packedType, tauType};
    factored = emitTpuCall(main, "Qr", {&matrix, 1}, results);
  } else {
    factored = emitSolverCall(main, {.target = cpu ? lapackTarget(matrix.type, "geqrf")
                                                   : acceleratorTarget(platform, "geqrf"),
                                     .operands = {matrix},
                                     .results = {packedType, tauType},
                                     .aliases = {{0, 0}},
                                     .batch = batch});
  }
  const SsaValue packed = withColumns(main, factored[0], full ? rows : reflectors);
  SsaValue q;
  if (platform == "tpu") {
    const SsaValue operands[] = {packed, factored[1]};
    const TensorType result{packed.type, packed.shape};
    q = emitTpuCall(main, "ProductOfElementaryHouseholderReflectors", operands, {&result, 1})
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
  if (!full && rows > columns) {
    Shape shape = r.shape;
    shape[batch] = reflectors;
    std::string ranges;
    for (int64_t size : shape) ranges += fmt::format("{}0:{}", ranges.empty() ? "" : ", ", size);
    r = main.emit(r.type, shape, fmt::format("stablehlo.slice {} [{}] : ({}) -> {}", r.name, ranges,
                                             typeText(r), tensorText(r.type, shape)));
  }
  return {q, triangleOf(main, r, false)};
}

namespace {

void addQr(CaseList& cases, ElementType type, const Shape& shape, bool full,
           std::vector<std::string> platforms) {
  Comparator comparator;
  comparator.kind = Comparator::Kind::kQr;
  comparator.tolerance.relative = 16 * epsilonOf(type);
  cases.add({.primitive = "qr",
             .label = fmt::format("full={}", full),
             .arguments = {{type, shape}},
             .emit = [full](FunctionWriter& main, std::span<const SsaValue> arguments,
                            const std::string& platform) {
               return emitQr(main, arguments[0], full, platform);
             },
             .expect = [full](std::span<const Tensor> inputs) -> Result<std::vector<Tensor>> {
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
             .comparators = {comparator},
             .makeInputs = oneMatrix(type, shape, Structure::kGeneral),
             .platforms = std::move(platforms)});
}

}  // namespace

VINTAGE_FAMILY(addQrCases) {
  static const Shape kShapes[] = {{1, 1}, {3, 3}, {3, 4}, {4, 3}, {2, 5, 5}, {2, 3, 2}};
  for (const Shape& shape : kShapes) {
    for (bool full : {true, false}) {
      for (ElementType type : solverTypes()) {
        addQr(cases, type, shape, full, {"cpu", "cuda", "rocm", "tpu"});
      }
      for (ElementType type : narrowFloats()) addQr(cases, type, shape, full, {});
    }
  }
  for (ElementType type : solverTypes()) {
    for (bool full : {true, false}) {
      cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
        addQr(list, type, {sizes.b, 4, 3}, full, {"cpu", "cuda", "rocm", "tpu"});
      });
    }
  }
}

}  // namespace vintage::primitives::catalogue

// Derivatives of gather and the scatters: what a gather reads, its transpose adds
// to; what a scatter writes, its transpose reads.
#include <algorithm>

#include <fmt/format.h>

#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

SsaValue limitsOf(FunctionWriter& writer, const SsaValue& indices, const IndexingUse& use) {
  const auto count = static_cast<int64_t>(use.dimensions.startIndexMap.size());
  const SsaValue highest =
      writer.constant(ElementType::kI32, Shape{count}, highestStartLiteral(use));
  const int64_t vectors[] = {use.dimensions.indexVector};
  return writer.broadcast(highest, vectors, indices.shape);
}

// Scatters drop what is outside, so that a mode that clips must clamp before.
SsaValue placed(FunctionWriter& writer, const SsaValue& indices, const IndexingUse& use,
                IndexMode mode) {
  if (mode != IndexMode::kClip) return indices;
  const SsaValue limits = limitsOf(writer, indices, use);
  const SsaValue zeros = writer.fill(indices.type, 0, indices.shape);
  return writer.emit(indices.type, indices.shape,
                     fmt::format("stablehlo.clamp {}, {}, {} : {}", zeros.name, indices.name,
                                 limits.name, typeText(indices)));
}

// A gather that clamps; where the mode drops what is outside, with zeros there.
SsaValue readBack(FunctionWriter& writer, const SsaValue& g, const SsaValue& indices,
                  const IndexingUse& use, IndexMode mode, IndexPromise promise) {
  const SsaValue gathered = gatherOf(writer, g, indices, use.dimensions, use.slice, promise);
  if (mode != IndexMode::kFillOrDrop) return gathered;
  const SsaValue zeros = writer.fill(indices.type, 0, indices.shape);
  const SsaValue atLeast = writer.compare("GE", indices, zeros);
  const SsaValue atMost = writer.compare("LE", indices, limitsOf(writer, indices, use));
  const int64_t vectors[] = {use.dimensions.indexVector};
  const SsaValue inside =
      reduceAlong(writer, "and", writer.same("stablehlo.and", atLeast, atMost), vectors);
  Shape batch;
  for (size_t i = 0; i < gathered.shape.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (std::ranges::find(use.dimensions.offset, axis) == use.dimensions.offset.end()) {
      batch.push_back(axis);
    }
  }
  const SsaValue wide = writer.broadcast(inside, batch, gathered.shape);
  return writer.select(wide, gathered, zerosLike(writer, gathered));
}

SsaValues writeGather(const PullbackWriter& p, const IndexingUse& use, IndexMode mode) {
  const SsaValue zeros = zerosLike(p.writer, p.inputs[0]);
  const SsaValue indices = placed(p.writer, p.inputs[1], use, mode);
  return {scatterOf(p.writer, "add", zeros, indices, p.cotangents[0], use.dimensions)};
}

// `function` is that of the scatter: add, mul or replace.
SsaValues writeScatter(const PullbackWriter& p, std::string_view function, const IndexingUse& use,
                       IndexMode mode, IndexPromise promise) {
  FunctionWriter& writer = p.writer;
  const SsaValue& g = p.cotangents[0];
  if (function == "add") {
    return {g, readBack(writer, g, p.inputs[1], use, mode, promise)};
  }
  const SsaValue indices = placed(writer, p.inputs[1], use, mode);
  // Of a plain scatter, what was written over does not depend on the operand.
  const SsaValue updates = function == "mul" ? p.inputs[2] : zerosLike(writer, p.inputs[2]);
  const SsaValue operand =
      scatterOf(writer, function, g, indices, updates, use.dimensions, promise);
  const SsaValue read =
      function == "mul" ? writer.same("stablehlo.multiply", g, p.inputs[0]) : g;
  return {operand, readBack(writer, read, p.inputs[1], use, mode, promise)};
}

}  // namespace

DerivativeRules gatherDerivatives() {
  DerivativeRules rules;
  for (const IndexingUse& use : indexingUses()) {
    for (IndexMode mode : kIndexModes) {
      rules.push_back({.primitive = "gather",
                       .label = fmt::format("{}_mode={}", use.name, indexModeName(mode)),
                       .shapes = {use.operand, use.indices},
                       .types = types::inexact,
                       .write = [&use, mode](const PullbackWriter& p) {
                         return writeGather(p, use, mode);
                       },
                       .oracle = transposedLinear,
                       .units = 8});
      const Shape updates = oracle::windowsShape(use.indices, use.dimensions, use.slice);
      // JAX differentiates the others only where the indices are promised to be unique.
      const auto scatter = [&](const char* primitive, const char* function, bool unique,
                               PullbackOracle oracle) {
        rules.push_back({.primitive = primitive,
                         .label = fmt::format("{}_mode={}_sorted=false_unique={}", use.name,
                                              indexModeName(mode), unique),
                         .shapes = {use.operand, use.indices, updates},
                         .types = types::inexact,
                         .write = [&use, mode, function, unique](const PullbackWriter& p) {
                           return writeScatter(p, function, use, mode, {.unique = unique});
                         },
                         .oracle = std::move(oracle),
                         .units = 16});
      };
      scatter("scatter_add", "add", false, transposedLinear);
      scatter("scatter", "replace", true, transposedLinear);
      scatter("scatter_mul", "mul", true, transposedMultilinear);
    }
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue

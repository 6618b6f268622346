// Derivatives of gather and the scatters: the transpose of a gather adds to the elements that it
// reads; the transpose of a scatter reads the elements that it writes.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/indexing/indexing_cases.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

SsaValue limitsOf(const SsaValue& indices, const IndexingUse& use) {
  const SsaValue highest = indices.builder->constant(ElementType::kI32, highestStarts(use));
  const int64_t vectors[] = {use.dimensions.indexVector};
  return broadcast(highest, vectors, indices.shape);
}

// Scatters drop windows that are outside, so a mode that clips must clamp the indices first.
SsaValue placed(const SsaValue& indices, const IndexingUse& use, IndexMode mode) {
  if (mode != IndexMode::kClip) return indices;
  const SsaValue limits = limitsOf(indices, use);
  const SsaValue zeros = indices.builder->fill(indices.type, 0, indices.shape);
  return same("stablehlo.clamp", {zeros, indices, limits});
}

// A gather that clamps; with zeros for windows outside where the mode drops them.
SsaValue readBack(const SsaValue& g, const SsaValue& indices, const IndexingUse& use,
                  IndexMode mode, IndexPromise promise) {
  const SsaValue gathered = gather(g, indices, use.dimensions, use.slice, promise);
  if (mode != IndexMode::kFillOrDrop) return gathered;
  const SsaValue zeros = g.builder->fill(indices.type, 0, indices.shape);
  const SsaValue atLeast = compare("GE", indices, zeros);
  const SsaValue atMost = compare("LE", indices, limitsOf(indices, use));
  const int64_t vectors[] = {use.dimensions.indexVector};
  const SsaValue inside = reduceAlong("and", atLeast & atMost, vectors);
  const Shape batch = oracle::otherAxes(gathered.shape.size(), use.dimensions.offset);
  const SsaValue wide = broadcast(inside, batch, gathered.shape);
  return select(wide, gathered, gathered.like(0));
}

SsaValues writeGather(const Pullback& p, const IndexingUse& use, IndexMode mode) {
  const SsaValue zeros = p.inputs[0].like(0);
  const SsaValue indices = placed(p.inputs[1], use, mode);
  return {scatter("add", zeros, indices, p.cotangents[0], use.dimensions)};
}

// `function` is that of the scatter: add, mul or replace.
SsaValues writeScatter(const Pullback& p, std::string_view function, const IndexingUse& use,
                       IndexMode mode, IndexPromise promise) {
  const SsaValue& g = p.cotangents[0];
  if (function == "add") return {g, readBack(g, p.inputs[1], use, mode, promise)};
  const SsaValue indices = placed(p.inputs[1], use, mode);
  // The result of a plain scatter does not depend on the overwritten elements of the operand.
  const SsaValue updates = function == "mul" ? p.inputs[2] : p.inputs[2].like(0);
  const SsaValue operand = scatter(function, g, indices, updates, use.dimensions, promise);
  const SsaValue read = function == "mul" ? same("stablehlo.multiply", g, p.inputs[0]) : g;
  return {operand, readBack(read, p.inputs[1], use, mode, promise)};
}

}  // namespace

VINTAGE_DERIVATIVES(gatherDerivatives) {
  DerivativeRules rules;
  for (const IndexingUse& use : indexingUses()) {
    for (IndexMode mode : kIndexModes) {
      rules.push_back(linearRule(
          "gather", fmt::format("{}_mode={}", use.name, indexModeName(mode)),
          {use.operand, use.indices},
          [&use, mode](const Pullback& p) { return writeGather(p, use, mode); }, 8));
      const Shape updates = oracle::windowsShape(use.indices, use.dimensions, use.slice);
      // JAX differentiates the others only where the indices are promised to be unique.
      const auto scatter = [&](const char* primitive, const char* function, bool unique,
                               PullbackOracle oracle) {
        rules.push_back({.primitive = primitive,
                         .label = fmt::format("{}_mode={}_sorted=false_unique={}", use.name,
                                              indexModeName(mode), unique),
                         .shapes = {use.operand, use.indices, updates},
                         .types = types::kInexact,
                         .write =
                             [&use, mode, function, unique](const Pullback& p) {
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

}  // namespace vintage::primitives

// The derivative of pad, with negative edges and interior padding: the operand's
// cotangent is cut out, and the padding value's is the sum of the rest.
#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"

namespace vintage::primitives::catalogue {
namespace {

struct PaddingUse {
  const char* label;
  Shape operand, low, high, interior;
};

const PaddingUse kUses[] = {
    {"low=1-2_high=1-2_interior=0-0", {2, 3}, {1, 2}, {1, 2}, {0, 0}},
    {"low=1-2_high=1-2_interior=1-2", {2, 3}, {1, 2}, {1, 2}, {1, 2}},
    {"low=m1-m2_high=1-2_interior=1-2", {2, 3}, {-1, -2}, {1, 2}, {1, 2}},
    {"low=m1_high=m1_interior=2", {4}, {-1}, {-1}, {2}},
};

Shape negated(Shape values) {
  for (int64_t& value : values) value = -value;
  return values;
}

SsaValues writePad(const PullbackWriter& p, const PaddingUse& use) {
  FunctionWriter& writer = p.writer;
  const SsaValue& g = p.cotangents[0];
  const Shape zeros(use.operand.size(), 0);
  Shape strides = use.interior;
  for (int64_t& stride : strides) ++stride;
  const SsaValue inner = padOf(writer, g, writer.number(g.type, 0), negated(use.low),
                               negated(use.high), zeros);
  const SsaValue operand = sliceOf(writer, inner, zeros, inner.shape, strides);
  const SsaValue all = totalOf(writer, g);
  return {operand, writer.same("stablehlo.subtract", all, totalOf(writer, operand))};
}

}  // namespace

DerivativeRules paddingDerivatives() {
  DerivativeRules rules;
  for (const PaddingUse& use : kUses) {
    rules.push_back({.primitive = "pad",
                     .label = use.label,
                     .shapes = {use.operand, {}},
                     .types = types::inexact,
                     .write = [&use](const PullbackWriter& p) { return writePad(p, use); },
                     .oracle = transposedLinear,
                     // The difference of two sums of as many elements as the result has.
                     .units = 64});
  }
  return rules;
}

}  // namespace vintage::primitives::catalogue

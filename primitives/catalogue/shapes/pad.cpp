// pad, with edge and interior padding, negative too.
#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct Padding {
  Shape operand, low, high, interior;
};

const Padding kPaddings[] = {
    {{2, 3}, {0, 0}, {0, 0}, {0, 0}},
    {{2, 3}, {1, 2}, {1, 2}, {0, 0}},
    {{2, 3}, {1, 2}, {1, 2}, {1, 2}},
    {{2, 3}, {1, -2}, {1, 1}, {0, 0}},
    {{2, 3}, {-1, 0}, {2, 0}, {0, 0}},
    {{2, 3}, {1, 2}, {-1, -1}, {0, 0}},
    {{2, 3}, {0, 0}, {0, 0}, {1, 0}},
    {{2, 3}, {-1, -2}, {1, 2}, {1, 2}},
    {{2, 3}, {0, 3}, {-1, 0}, {1, 1}},
    {{2, 3}, {2, 0}, {0, 2}, {0, 1}},
    {{4}, {1}, {2}, {0}},
    {{4}, {-1}, {-1}, {2}},
    {{0, 3}, {1, 1}, {1, 1}, {1, 1}},
};

std::string offsets(const Shape& values) {
  // A minus sign would read like a separator.
  std::string text;
  for (int64_t value : values)
    text += fmt::format("{}{}{}", text.empty() ? "" : "-", value < 0 ? "m" : "", std::abs(value));
  return text;
}

std::string labelOf(const Padding& padding) {
  return fmt::format("low={}_high={}_interior={}", offsets(padding.low), offsets(padding.high),
                     offsets(padding.interior));
}

CaseSpecification padCase(ElementType type, const Padding& padding) {
  return {.primitive = "pad",
          .label = labelOf(padding),
          .arguments = {{type, padding.operand}, {type, {}}},
          .domains = {domains::kComplexEdges, domains::kPlain},
          .emit =
              [padding](Arguments x) {
                return pad(x[0], x[1], padding.low, padding.high, padding.interior);
              },
          .expect =
              [padding](Tensors inputs) {
                return oracle::padded(inputs[0], inputs[1], padding.low, padding.high,
                                      padding.interior);
              },
          .oracle = "definition"};
}

// The derivative of pad, with negative edges and interior padding: the operand's
// cotangent is cut out, and the padding value's is the sum of the rest.

Shape negated(Shape values) {
  for (int64_t& value : values) value = -value;
  return values;
}

SsaValues writePad(const Pullback& p, const Padding& padding) {
  const SsaValue& g = p.cotangents[0];
  const Shape zeros(padding.operand.size(), 0);
  Shape strides = padding.interior;
  for (int64_t& stride : strides) ++stride;
  const SsaValue inner =
      pad(g, p.builder.number(g.type, 0), negated(padding.low), negated(padding.high), zeros);
  const SsaValue operand = slice(inner, zeros, inner.shape, strides);
  const SsaValue all = reduceAll("add", g);
  return {operand, same("stablehlo.subtract", all, reduceAll("add", operand))};
}

}  // namespace

VINTAGE_FAMILY(addPadCases) {
  for (ElementType type : types::kSmall) cases.add(padCase(type, kPaddings[2]));
  for (ElementType type : types::kAll) {
    for (const Padding& padding : kPaddings) cases.add(padCase(type, padding));
    cases.addPoly([&](Sizes s) { return padCase(type, {{s.b, 3}, {1, 2}, {2, -1}, {1, 0}}); });
    cases.addPoly([&](Sizes s) { return padCase(type, {{s.b, s.c}, {s.c, 0}, {s.b, 1}, {0, 1}}); });
  }
}

VINTAGE_DERIVATIVES(paddingDerivatives) {
  DerivativeRules rules;
  for (size_t i : {1, 2, 7, 11}) {
    const Padding& padding = kPaddings[i];
    // The difference of two sums of as many elements as the result has.
    rules.push_back(linearRule(
        "pad", labelOf(padding), {padding.operand, {}},
        [&padding](const Pullback& p) { return writePad(p, padding); }, 64));
  }
  return rules;
}

}  // namespace vintage::primitives

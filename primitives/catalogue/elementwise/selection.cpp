// select_n, clamp.
#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Among n cases by an integer: a chain of comparisons, halved at each step.
SsaValue chooseAmong(const SsaValue& which, Arguments choices, int64_t first) {
  if (choices.size() == 1) return choices[0];
  const size_t middle = choices.size() / 2;
  const auto border = static_cast<double>(first) + static_cast<double>(middle);
  const SsaValue below = compare("LT", which, which.builder->fill(which.type, border, which.shape));
  const SsaValue low = chooseAmong(which, choices.first(middle), first);
  const SsaValue high =
      chooseAmong(which, choices.subspan(middle), first + static_cast<int64_t>(middle));
  return select(below, low, high);
}

CaseSpecification selectCase(ElementType which, const Shape& whichShape, ElementType type,
                             const Shape& shape, size_t choices) {
  std::vector<TensorType> arguments{{which, whichShape}};
  std::vector<Domain> inputs{Domain{.low = 0, .high = static_cast<double>(choices - 1)}};
  for (size_t i = 0; i < choices; ++i) {
    arguments.push_back({type, shape});
    inputs.push_back(domains::kComplexEdges);
  }
  return {.primitive = "select_n",
          .arguments = arguments,
          .domains = inputs,
          .emit = [](Arguments x) -> SsaValues {
            SsaValue which = x[0];
            if (isPredicate(which.type)) return {select(which, x[2], x[1])};
            if (which.shape != x[1].shape) which = broadcast(which, x[1].shape);
            return {chooseAmong(which, x.subspan(1), 0)};
          },
          .expect =
              [](Tensors inputs) {
                Tensor result(inputs[1].type(), inputs[1].shape());
                for (int64_t i = 0; i < result.size(); ++i) {
                  const auto choice = static_cast<size_t>(
                      oracle::load(inputs[0], inputs[0].size() == 1 ? 0 : i).integer);
                  oracle::copyElement(inputs[1 + choice], i, result, i);
                }
                return result;
              },
          .oracle = "definition"};
}

CaseSpecification clampCase(ElementType type, const Shape& bound, const Shape& otherBound,
                            const Shape& shape = {2, 3},
                            std::vector<std::string> platforms = {"cpu", "cuda", "rocm", "tpu"}) {
  return {
      .primitive = "clamp",
      .arguments = {{type, bound}, {type, shape}, {type, otherBound}},
      // Predicates get every pair of bounds, also reversed ones: then the upper bound is the
      // result.
      .domains = {Domain{.low = -4, .high = 0}, domains::kAllEdges, Domain{.low = 1, .high = 4}},
      .emit =
          [shape](FunctionBuilder& main, Arguments x) {
            SsaValue low = x[0], high = x[2];
            if (low.shape != shape) low = broadcast(low, shape);
            if (high.shape != shape) high = broadcast(high, shape);
            return emitOne({x[1].type, shape}, "stablehlo.clamp", {low, x[1], high});
          },
      .expect =
          [](Tensors inputs) {
            // minimum(maximum(operand, low), high), the definition.
            Result<Tensor> raised = oracle::applyBinary("max", inputs[1], inputs[0]);
            return raised ? oracle::applyBinary("min", *raised, inputs[2]) : raised;
          },
      .oracle = "definition",
      .platforms = std::move(platforms)};
}

// Derivatives of selections: the cotangent goes to the argument that the element came from, and
// nowhere else. select_n, clamp.

SsaValues writeSelect(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  const SsaValue zeros = g.like(0);
  SsaValue which = p.inputs[0];
  if (isPredicate(which.type)) return {select(which, zeros, g), select(which, g, zeros)};
  SsaValues results;
  for (size_t i = 0; i + 1 < p.inputs.size(); ++i) {
    const SsaValue number = p.builder.fill(which.type, static_cast<double>(i), which.shape);
    SsaValue chosen = compare("EQ", which, number);
    if (chosen.shape != g.shape) chosen = broadcast(chosen, g.shape);
    results.push_back(select(chosen, g, zeros));
  }
  return results;
}

// A scalar bound applies to every element: its cotangents are summed.
SsaValue summedLike(const SsaValue& value, const SsaValue& bound) {
  return bound.shape.empty() ? reduceAll("add", value) : value;
}

// On a bound the derivative is zero: neither of the comparisons holds.
SsaValues writeClamp(const Pullback& p) {
  const Shape& shape = p.inputs[1].shape;
  const auto wide = [&](const SsaValue& bound) {
    return bound.shape == shape ? bound : broadcast(bound, shape);
  };
  const SsaValue low = wide(p.inputs[0]), x = p.inputs[1], high = wide(p.inputs[2]);
  const SsaValue g = p.cotangents[0];
  const SsaValue zeros = g.like(0);
  const SsaValue byLow = select((low > x) & (low < high), g, zeros);
  const SsaValue byOperand = select((x > low) & (x < high), g, zeros);
  const SsaValue byHigh = select(high < x, g, zeros);
  return {summedLike(byLow, p.inputs[0]), byOperand, summedLike(byHigh, p.inputs[2])};
}

std::vector<Tensor> clampOracle(const PullbackValues& values) {
  const ElementType type = values.inputs[1].type();
  std::vector<CotangentSums> sums;
  for (const Tensor& input : values.inputs) sums.push_back({type, input.shape()});
  const auto at = [&](size_t k, int64_t i) {
    const Tensor& tensor = values.inputs[k];
    return oracle::load(tensor, tensor.size() == 1 ? 0 : i).real;
  };
  for (int64_t i = 0; i < values.inputs[1].size(); ++i) {
    const double low = at(0, i), x = at(1, i), high = at(2, i);
    const double g = oracle::load(values.cotangents[0], i).real;
    // The bound that is above the operand, unless it is beyond the other one.
    const int source = x < low && low < high ? 0 : high < x ? 2 : low < x && x < high ? 1 : -1;
    if (source < 0) continue;
    CotangentSums& to = sums[static_cast<size_t>(source)];
    to.add(values.inputs[static_cast<size_t>(source)].size() == 1 ? 0 : i, {g});
  }
  return {sums[0].rounded(), sums[1].rounded(), sums[2].rounded()};
}

}  // namespace

VINTAGE_FAMILY(addSelectionCases) {
  const Shape shape{2, 3};
  for (ElementType type : types::kSmall)
    cases.add(selectCase(ElementType::kI1, shape, type, shape, 2));
  for (ElementType type : types::kAll) {
    cases.add(selectCase(ElementType::kI1, shape, type, shape, 2));
    cases.add(selectCase(ElementType::kI32, shape, type, shape, 3));
    cases.add(selectCase(ElementType::kI1, {}, type, {}, 2));
    if (type == ElementType::kF32) {
      cases.add(selectCase(ElementType::kI1, {}, type, {18}, 2));
      cases.add(selectCase(ElementType::kI32, {}, type, shape, 4));
      cases.add(selectCase(ElementType::kI32, {}, type, {}, 3));
    }
    cases.addPoly(
        [&](Sizes s) { return selectCase(ElementType::kI1, {s.b, s.c}, type, {s.b, s.c}, 2); });
    cases.addPoly([&](Sizes s) { return selectCase(ElementType::kI32, {s.b}, type, {s.b}, 3); });
    if (isComplex(type)) {
      // JAX accepts them, but no platform does.
      cases.add(clampCase(type, {}, {}, shape, {}));
      continue;
    }
    cases.addPoly([&](Sizes s) { return clampCase(type, {}, {s.b, 3}, {s.b, 3}); });
    cases.add(clampCase(type, {}, {}));
    cases.add(clampCase(type, shape, shape));
    if (type == ElementType::kF32) {
      cases.add(clampCase(type, {}, shape));
      cases.add(clampCase(type, shape, {}));
    }
  }
}

VINTAGE_DERIVATIVES(selectionDerivatives) {
  DerivativeRules rules;
  const Shape shape{2, 3}, scalar{};
  const auto select = [&](std::vector<Shape> shapes) {
    rules.push_back(linearRule("select_n", "", std::move(shapes), writeSelect));
  };
  select({shape, shape, shape});
  select({shape, shape, shape, shape});
  select({scalar, {18}, {18}});
  select({scalar, shape, shape, shape, shape});
  // Below, on, between and above the bounds.
  const std::vector<Domain> whole{Domain{.low = -2, .high = -1, .wholeNumbers = true},
                                  Domain{.low = -3, .high = 3, .wholeNumbers = true},
                                  Domain{.low = 1, .high = 2, .wholeNumbers = true}};
  for (const auto& [low, high] : {std::pair(scalar, scalar), std::pair(shape, shape),
                                  std::pair(scalar, shape), std::pair(shape, scalar)}) {
    rules.push_back({.primitive = "clamp",
                     .shapes = {low, shape, high},
                     .domains = whole,
                     .write = writeClamp,
                     .oracle = clampOracle,
                     .units = 8});
  }
  return rules;
}

}  // namespace vintage::primitives

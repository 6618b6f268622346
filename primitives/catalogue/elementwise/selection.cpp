// select_n, clamp.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "primitives/catalogue/families.h"

namespace vintage::primitives::catalogue {
namespace {

// Among n cases by an integer: a chain of comparisons, halved at each step.
SsaValue chooseAmong(FunctionWriter& main, const SsaValue& which, std::span<const SsaValue> choices,
                  int64_t first) {
  if (choices.size() == 1) return choices[0];
  const size_t middle = choices.size() / 2;
  const auto border = static_cast<double>(first) + static_cast<double>(middle);
  const SsaValue below = main.compare("LT", which, main.fill(which.type, border, which.shape));
  const SsaValue low = chooseAmong(main, which, choices.first(middle), first);
  const SsaValue high =
      chooseAmong(main, which, choices.subspan(middle), first + static_cast<int64_t>(middle));
  return main.select(below, low, high);
}

void addSelect(CaseList& cases, ElementType which, const Shape& whichShape, ElementType type,
               const Shape& shape, size_t choices) {
  std::vector<CaseArgument> arguments{{which, whichShape}};
  std::vector<Domain> inputs{Domain{.low = 0, .high = static_cast<double>(choices - 1)}};
  for (size_t i = 0; i < choices; ++i) {
    arguments.push_back({type, shape});
    inputs.push_back(domains::kComplexEdges);
  }
  cases.add({.primitive = "select_n",
             .arguments = arguments,
             .domains = inputs,
             .emit = [](FunctionWriter& main, std::span<const SsaValue> arguments,
                        const std::string&) -> SsaValues {
               SsaValue which = arguments[0];
               if (isPredicate(which.type)) {
                 return {main.select(which, arguments[2], arguments[1])};
               }
               if (which.shape != arguments[1].shape) {
                 which = main.broadcast(which, arguments[1].shape);
               }
               return {chooseAmong(main, which, arguments.subspan(1), 0)};
             },
             .expect = one([](std::span<const Tensor> inputs) -> Result<Tensor> {
               Tensor result(inputs[1].type(), inputs[1].shape());
               for (int64_t i = 0; i < result.size(); ++i) {
                 const auto choice = static_cast<size_t>(
                     oracle::load(inputs[0], inputs[0].size() == 1 ? 0 : i).integer);
                 oracle::copyElement(inputs[1 + choice], i, result, i);
               }
               return result;
             }),
             .oracle = "definition"});
}

void addClamp(CaseList& cases, ElementType type, const Shape& bound, const Shape& otherBound,
              const Shape& shape = {2, 3},
              std::vector<std::string> platforms = {"cpu", "cuda", "rocm", "tpu"}) {
  cases.add({.primitive = "clamp",
             .arguments = {{type, bound}, {type, shape}, {type, otherBound}},
             // Of predicates every pair of bounds occurs, also one that is upside down:
             // then the upper bound is the result.
             .domains = {Domain{.low = -4, .high = 0}, domains::kAllEdges,
                         Domain{.low = 1, .high = 4}},
             .emit = [shape](FunctionWriter& main, std::span<const SsaValue> arguments,
                             const std::string&) -> SsaValues {
               // StableHLO takes scalar bounds only in pairs; JAX broadcasts a mixed one.
               SsaValue low = arguments[0], high = arguments[2];
               if (low.shape != high.shape) {
                 if (low.shape.empty()) low = main.broadcast(low, shape);
                 if (high.shape.empty()) high = main.broadcast(high, shape);
               }
               return {main.emit(
                   arguments[1].type, shape,
                   low.shape.empty()
                       ? fmt::format("stablehlo.clamp {}, {}, {} : ({}, {}, {}) -> {}", low.name,
                                     arguments[1].name, high.name, typeText(low),
                                     typeText(arguments[1]), typeText(high), typeText(arguments[1]))
                       : fmt::format("stablehlo.clamp {}, {}, {} : {}", low.name, arguments[1].name,
                                     high.name, typeText(arguments[1])))};
             },
             .expect = one([](std::span<const Tensor> inputs) {
               // minimum(maximum(operand, low), high), the definition.
               Result<Tensor> raised = oracle::applyBinary("max", inputs[1], inputs[0]);
               return raised ? oracle::applyBinary("min", *raised, inputs[2]) : raised;
             }),
             .oracle = "definition",
             .platforms = std::move(platforms)});
}

}  // namespace

VINTAGE_FAMILY(addSelectionCases) {
  const Shape shape{2, 3};
  for (ElementType type : types::small()) addSelect(cases, ElementType::kI1, shape, type, shape, 2);
  for (ElementType type : types::all()) {
    addSelect(cases, ElementType::kI1, shape, type, shape, 2);
    addSelect(cases, ElementType::kI32, shape, type, shape, 3);
    addSelect(cases, ElementType::kI1, {}, type, {}, 2);
    if (type == ElementType::kF32) {
      addSelect(cases, ElementType::kI1, {}, type, {18}, 2);
      addSelect(cases, ElementType::kI32, {}, type, shape, 4);
      addSelect(cases, ElementType::kI32, {}, type, {}, 3);
    }
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSelect(list, ElementType::kI1, {sizes.b, sizes.c}, type, {sizes.b, sizes.c}, 2);
    });
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addSelect(list, ElementType::kI32, {sizes.b}, type, {sizes.b}, 3);
    });
    if (isComplex(type)) {
      // JAX takes them, and then no platform does.
      addClamp(cases, type, {}, {}, shape, {});
      continue;
    }
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addClamp(list, type, {}, {sizes.b, 3}, {sizes.b, 3});
    });
    addClamp(cases, type, {}, {});
    addClamp(cases, type, shape, shape);
    if (type == ElementType::kF32) {
      addClamp(cases, type, {}, shape);
      addClamp(cases, type, shape, {});
    }
  }
}

}  // namespace vintage::primitives::catalogue

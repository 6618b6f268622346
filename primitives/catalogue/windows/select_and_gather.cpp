// select_and_gather_add: of each window the second operand's element where the
// first operand's element wins.
#include <limits>

#include <fmt/format.h>

#include "golden/oracle/window.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"
#include "primitives/catalogue/windows/window_text.h"
#include "primitives/catalogue/windows/window_uses.h"

namespace vintage::primitives::catalogue {
namespace {

SsaValues emitSelectAndGather(FunctionWriter& main, std::span<const SsaValue> arguments,
                              bool largest, const oracle::Window& window) {
  const SsaValue &tangents = arguments[0], &operand = arguments[1];
  const SsaValue worst = main.constant(
      operand.type, identityLiteral(largest ? "max" : "min", operand.type));
  const SsaValue zero = main.number(operand.type, 0);
  const SsaValue all[] = {operand, tangents, worst, zero};
  const Shape shape = window.resultShape(operand.shape);
  const TensorType results[] = {{operand.type, shape}, {operand.type, shape}};
  const SsaValues values =
      main.beginOperation(results, fmt::format("\"stablehlo.reduce_window\"({}) <{{{}}}> ",
                                               namesText(all), windowAttributes(window)));
  const std::vector<TensorType> scalars(4, TensorType{operand.type, {}});
  main.region(scalars, [&](std::span<const SsaValue> v) -> SsaValues {
    const SsaValue keep = main.compare(largest ? "GE" : "LE", v[0], v[2]);
    const SsaValue key = main.select(keep, v[0], v[2]);
    return {key, main.select(keep, v[1], v[3])};
  });
  const std::string result = tensorText(operand.type, shape);
  main.append(fmt::format(" : ({}) -> ({}, {})", typesText(all), result, result));
  main.endOperation();
  return {values[1]};
}

Tensor selectedAndGathered(const Tensor& tangents, const Tensor& operand, bool largest,
                           const oracle::Window& window) {
  Tensor result(operand.type(), window.resultShape(operand.shape()));
  int64_t position = 0;
  oracle::forEachIndex(result.shape(), [&](const Shape& at) {
    double best = largest ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::infinity();
    double tangent = 0;
    window.forEachElement(operand.shape(), at, [&](int64_t source) {
      const double key = oracle::load(operand, source).real;
      if (largest ? best >= key : best <= key) return;
      best = key;
      tangent = oracle::load(tangents, source).real;
    });
    oracle::store(result, position++, {0, tangent, 0});
  });
  return result;
}

}  // namespace

VINTAGE_FAMILY(addSelectAndGatherCases) {
  for (ElementType type : types::floats()) {
    for (const WindowUse& use : kSelectAndGatherUses) {
      for (bool largest : {true, false}) {
        cases.add({.primitive = "select_and_gather_add",
                   .label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le"),
                   .arguments = {{type, use.operand}, {type, use.operand}},
                   // Keys that are all different: the order within a window is free.
                   .domains = {domains::kPlain, Domain{.distinct = true}},
                   .emit = [&use, largest](FunctionWriter& main,
                                           std::span<const SsaValue> arguments,
                                           const std::string&) {
                     return emitSelectAndGather(main, arguments, largest, use.window);
                   },
                   .expect = one([&use, largest](std::span<const Tensor> inputs) -> Result<Tensor> {
                     return selectedAndGathered(inputs[0], inputs[1], largest, use.window);
                   }),
                   .oracle = "definition"});
      }
    }
  }
}

}  // namespace vintage::primitives::catalogue

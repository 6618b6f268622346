// select_and_gather_add: of each window the second operand's element where the
// first operand's element wins.
#include <limits>

#include <fmt/format.h>

#include "golden/oracle/window.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"
#include "primitives/lowering/operations.h"
#include "primitives/catalogue/windows/window_uses.h"

namespace vintage::primitives::catalogue {
namespace {

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
                   .emit = [&use, largest](FunctionBuilder& main, Arguments arguments) {
                     return selectAndGather(main, arguments[0], arguments[1], largest, use.window);
                   },
                   .expect = [&use, largest](Tensors inputs) {
                     return selectedAndGathered(inputs[0], inputs[1], largest, use.window);
                   },
                   .oracle = "definition"});
      }
    }
  }
}

}  // namespace vintage::primitives::catalogue

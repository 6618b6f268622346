// select_and_scatter_add: each window gives its source to the place of the
// element that wins in it; and select_and_gather_add: of each window the second operand's element
// where the first operand's element wins.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/windows/window_uses.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

CaseSpecification useCase(ElementType type, bool largest, const WindowUse& use) {
  const Shape source = use.window.resultShape(use.operand);
  const double unit = 8 * epsilonOf(type);
  return {.primitive = "select_and_scatter_add",
          .label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le"),
          .arguments = {{type, use.operand}, {type, source}},
          // JAX pads with the lowest number, and an element as low loses its source there.
          .domains = {isUnsignedInteger(type) ? Domain{.low = 1, .high = 4, .wholeNumbers = true}
                                              : domains::kTies,
                      domains::kPlain},
          .emit =
              [&use, largest](FunctionBuilder& main, Arguments x) {
                return selectAndScatter(x[0], x[1], main.number(x[0].type, 0), largest, use.window);
              },
          .expect =
              [&use, largest](Tensors inputs) {
                return oracle::selectedAndScattered(inputs[0], inputs[1], largest, use.window);
              },
          .oracle = "definition",
          // Up to six sources meet in one place, in any order.
          .comparators = {isFloat(type) ? withinRelative(unit, 5 * unit) : exactly()}};
}

}  // namespace

VINTAGE_FAMILY(addSelectAndScatterCases) {
  for (ElementType type : types::kOrdered) {
    for (const WindowUse& use : kSelectAndScatterUses) {
      cases.add(useCase(type, true, use));
      cases.add(useCase(type, false, use));
    }
  }
}

VINTAGE_FAMILY(addSelectAndGatherCases) {
  for (ElementType type : types::kFloats) {
    for (const WindowUse& use : kSelectAndGatherUses) {
      for (bool largest : {true, false}) {
        cases.add(
            {.primitive = "select_and_gather_add",
             .label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le"),
             .arguments = {{type, use.operand}, {type, use.operand}},
             // Keys that are all different: the order within a window is free.
             .domains = {domains::kPlain, Domain{.distinct = true}},
             .emit = [&use, largest](
                         Arguments x) { return selectAndGather(x[0], x[1], largest, use.window); },
             .expect =
                 [&use, largest](Tensors inputs) {
                   return oracle::selectedAndGathered(inputs[0], inputs[1], largest, use.window);
                 },
             .oracle = "definition"});
      }
    }
  }
}

}  // namespace vintage::primitives

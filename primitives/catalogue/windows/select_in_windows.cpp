// select_and_scatter_add: each window gives its source to the place of the
// element that wins in it; and select_and_gather_add: of each window the second operand's element
// where the first operand's element wins.
#include <limits>

#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/operations.h"
#include "primitives/catalogue/windows/window_uses.h"

namespace vintage::primitives {
using namespace golden;

namespace {

Tensor selectedAndScattered(const Tensor& operand, const Tensor& source, bool largest,
                            const oracle::Window& window) {
  const ElementType type = operand.type();
  std::vector<oracle::Accumulator> places(static_cast<size_t>(operand.size()),
                                          oracle::Accumulator("add", type));
  int64_t position = 0;
  oracle::forEachIndex(source.shape(), [&](const Shape& at) {
    int64_t winner = -1;
    oracle::Number best;
    window.forEachElement(operand.shape(), at, [&](int64_t candidate) {
      const oracle::Number value = oracle::load(operand, candidate);
      // The earlier one stays as long as it is selected over the newcomer.
      const bool integral = isInteger(type) || isPredicate(type);
      const bool stays =
          winner >= 0 && (integral ? (largest ? best.integer >= value.integer
                                              : best.integer <= value.integer)
                                   : (largest ? best.real >= value.real : best.real <= value.real));
      if (!stays) {
        winner = candidate;
        best = value;
      }
    });
    places[static_cast<size_t>(winner)].add(oracle::load(source, position++));
  });
  Tensor result(type, operand.shape());
  for (size_t i = 0; i < places.size(); ++i) {
    oracle::store(result, static_cast<int64_t>(i), places[i].result());
  }
  return result;
}

void addUse(CaseList& cases, ElementType type, bool largest, const WindowUse& use) {
  const Shape source = use.window.resultShape(use.operand);
  const double unit = 8 * epsilonOf(type);
  cases.add({.primitive = "select_and_scatter_add",
             .label = fmt::format("{}_select={}", use.name, largest ? "ge" : "le"),
             .arguments = {{type, use.operand}, {type, source}},
             // JAX pads with the lowest number, and an element as low loses its source there.
             .domains = {isUnsignedInteger(type)
                             ? Domain{.low = 1, .high = 4, .wholeNumbers = true}
                             : domains::kTies,
                         domains::kPlain},
             .emit = [&use, largest](FunctionBuilder& main, Arguments arguments) {
               return selectAndScatter(main, arguments[0], arguments[1],
                                       main.number(arguments[0].type, 0), largest, use.window);
             },
             .expect = [&use, largest](Tensors inputs) {
               return selectedAndScattered(inputs[0], inputs[1], largest, use.window);
             },
             .oracle = "definition",
             // Up to six sources meet in one place, in any order.
             .comparators = {isFloat(type) ? withinRelative(unit, 5 * unit) : exactly()}});
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

VINTAGE_FAMILY(addSelectAndScatterCases) {
  for (ElementType type : types::ordered()) {
    for (const WindowUse& use : kSelectAndScatterUses) {
      addUse(cases, type, true, use);
      addUse(cases, type, false, use);
    }
  }
}

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

}  // namespace vintage::primitives

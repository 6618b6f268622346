// reduce_window_sum, _max, _min, _mul: padding, strides and dilations.
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/windows/window_uses.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct WindowPrimitive {
  const char* name;
  const char* function;
};

const WindowPrimitive kPrimitives[] = {{"reduce_window_add", "add"},
                                       {"reduce_window_mul", "mul"},
                                       {"reduce_window_max", "max"},
                                       {"reduce_window_min", "min"}};

SsaValues emitWindow(const SsaValue& operand, std::string_view function,
                     const oracle::Window& window) {
  SsaValue initial = identityOf(function, operand);
  // The product has no primitive of its own.
  if (function != "mul") initial = broadcast(initial, Shape{});
  return {reduceWindow(function, operand, initial, window)};
}

Comparator comparatorOf(std::string_view function, ElementType type) {
  if ((function != "add" && function != "mul") || isInteger(type)) return exactly();
  // At most six elements in a window, each step of the fold rounds.
  return withinRelative(12 * epsilonOf(type), function == "add" ? 30 * epsilonOf(type) : 0);
}

CaseSpecification windowCase(const WindowPrimitive& primitive, ElementType type,
                             const WindowUse& use) {
  const std::string_view function = primitive.function;
  return {.primitive = primitive.name,
          .label = use.name,
          .arguments = {{type, use.operand}},
          // Sums and products of integers wrap around; those of floats stay where
          // their tolerance is known.
          .domains = {isInteger(type) || function == "max" || function == "min" ? domains::kFewEdges
                      : function == "mul"                                       ? domains::kSmall
                                                                                : domains::kPlain},
          .emit = [use, function](Arguments x) { return emitWindow(x[0], function, use.window); },
          .expect =
              [use, function](Tensors inputs) {
                return oracle::windowReduced(
                    function, inputs[0], use.window,
                    oracle::Accumulator::identity(function, inputs[0].type()));
              },
          .oracle = isInteger(type) ? "exact" : "quadruple",
          .comparators = {comparatorOf(function, type)}};
}

}  // namespace

VINTAGE_FAMILY(addReduceWindowCases) {
  for (const WindowPrimitive& primitive : kPrimitives) {
    const std::string_view function = primitive.function;
    const bool anyType = function == "max" || function == "min";
    for (ElementType type : anyType ? types::kAll : types::kNumbers) {
      for (const WindowUse& use : kReduceWindowUses) cases.add(windowCase(primitive, type, use));
      cases.addPoly([&](Sizes s) {
        return windowCase(primitive, type,
                          {"valid", {s.b, 6}, {{2, 2}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}}});
      });
    }
  }
}

}  // namespace vintage::primitives

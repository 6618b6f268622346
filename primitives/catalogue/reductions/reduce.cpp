// reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or, reduce_xor.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

struct ReductionPrimitive {
  const char* name;
  const char* function;
  std::span<const ElementType> (*types)();
  Domain domain;
};

std::span<const ElementType> integersAndBool() { return types::all().first(9); }

const ReductionPrimitive kReductions[] = {
    {"reduce_sum", "add", types::numbers, domains::kPlain},
    {"reduce_prod", "mul", types::numbers, domains::kSmall},
    {"reduce_max", "max", types::all, domains::kFewEdges},
    {"reduce_min", "min", types::all, domains::kFewEdges},
    {"reduce_and", "and", integersAndBool, domains::kFewEdges},
    {"reduce_or", "or", integersAndBool, domains::kFewEdges},
    {"reduce_xor", "xor", integersAndBool, domains::kFewEdges},
};

// A sum of n rounded additions in any order is off by at most n units of the
// sum of magnitudes; a product by n units of itself.
Comparator comparatorOf(const ReductionPrimitive& primitive, ElementType type, int64_t count) {
  const std::string_view function = primitive.function;
  if ((function != "add" && function != "mul") || isInteger(type)) return exactly();
  const double unit = epsilonOf(type) * static_cast<double>(count);
  return withinRelative(2 * unit, function == "add" ? unit * 5 : 0);
}

void addReduction(CaseList& cases, const ReductionPrimitive& primitive, ElementType type,
                  const Shape& shape, const Shape& dimensions) {
  int64_t count = 1;
  for (int64_t axis : dimensions) count *= shape[static_cast<size_t>(axis)];
  cases.add({.primitive = primitive.name,
             .label = "axes=" + dashed(dimensions),
             .arguments = {{type, shape}},
             .domains = {isInteger(type) ? domains::kFewEdges : primitive.domain},
             .emit = [&primitive, dimensions](FunctionBuilder& main, Arguments arguments) {
               return reduceAlong(main, primitive.function, arguments[0], dimensions);
             },
             .expect = [&primitive, dimensions](Tensors inputs) {
               return oracle::reduced(primitive.function, inputs[0], dimensions);
             },
             .oracle = isInteger(type) ? "exact" : "quadruple",
             .comparators = {comparatorOf(primitive, type, count)}});
}

}  // namespace

VINTAGE_FAMILY(addReductionCases) {
  for (const ReductionPrimitive& primitive : kReductions) {
    for (ElementType type : primitive.types()) {
      addReduction(cases, primitive, type, {4, 5}, {0});
      addReduction(cases, primitive, type, {3, 6}, {0, 1});
      cases.addPoly([&](CaseList& list, Sizes s) {
        addReduction(list, primitive, type, {s.b, s.c}, {0});
      });
      if (type != ElementType::kF32 && type != ElementType::kI32) continue;
      addReduction(cases, primitive, type, {2, 3, 4}, {1});
      addReduction(cases, primitive, type, {2, 3, 4}, {0, 2});
      addReduction(cases, primitive, type, {0, 3}, {0});
      addReduction(cases, primitive, type, {1, 1}, {1});
    }
  }
}

}  // namespace vintage::primitives::catalogue

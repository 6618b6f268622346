// reduce_sum, reduce_prod, reduce_max, reduce_min, reduce_and, reduce_or, reduce_xor; argmax,
// argmin; and reduce, with a region of several operands and operations.
#include <fmt/format.h>

#include "golden/oracle/reduction.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

struct ReductionPrimitive {
  const char* name;
  const char* function;
  std::span<const ElementType> types;
  Domain domain;
};

const ReductionPrimitive kReductions[] = {
    {"reduce_sum", "add", types::kNumbers, domains::kPlain},
    {"reduce_prod", "mul", types::kNumbers, domains::kSmall},
    {"reduce_max", "max", types::kAll, domains::kFewEdges},
    {"reduce_min", "min", types::kAll, domains::kFewEdges},
    {"reduce_and", "and", types::kIntegersAndBool, domains::kFewEdges},
    {"reduce_or", "or", types::kIntegersAndBool, domains::kFewEdges},
    {"reduce_xor", "xor", types::kIntegersAndBool, domains::kFewEdges},
};

// A sum of n rounded additions in any order is off by at most n units of the
// sum of magnitudes; a product by n units of itself.
Comparator comparatorOf(const ReductionPrimitive& primitive, ElementType type, int64_t count) {
  const std::string_view function = primitive.function;
  if ((function != "add" && function != "mul") || isInteger(type)) return exactly();
  const double unit = epsilonOf(type) * static_cast<double>(count);
  return withinRelative(2 * unit, function == "add" ? unit * 5 : 0);
}

CaseSpecification reductionCase(const ReductionPrimitive& primitive, ElementType type,
                                const Shape& shape, const Shape& dimensions) {
  int64_t count = 1;
  for (int64_t axis : dimensions) count *= shape[static_cast<size_t>(axis)];
  return {.primitive = primitive.name,
          .label = "axes=" + dashed(dimensions),
          .arguments = {{type, shape}},
          .domains = {isInteger(type) ? domains::kFewEdges : primitive.domain},
          .emit = [&primitive, dimensions](
                      Arguments x) { return reduceAlong(primitive.function, x[0], dimensions); },
          .expect =
              [&primitive, dimensions](Tensors inputs) {
                return oracle::reduced(primitive.function, inputs[0], dimensions);
              },
          .oracle = isInteger(type) ? "exact" : "quadruple",
          .comparators = {comparatorOf(primitive, type, count)}};
}

CaseSpecification argumentReductionCase(bool largest, ElementType type, const Shape& shape,
                                        int64_t dimension, ElementType index) {
  const char* name = largest ? "argmax" : "argmin";
  return {
      .primitive = name,
      .label = fmt::format("axis={}_index={}", dimension, dtypeName(index)),
      .arguments = {{type, shape}},
      // A NaN decides everything: only long rows keep other contests.
      .domains = {shape[static_cast<size_t>(dimension)] > 12 ? domains::kFewEdges : domains::kTies},
      .emit =
          [=](Arguments x) {
            return callPrivate(name, x, [&](Arguments y) {
              return argumentReduce(y[0], largest, dimension, index);
            });
          },
      .expect =
          [=](Tensors inputs) {
            return oracle::argumentReduced(inputs[0], dimension, largest, index);
          }};
}

// Two folds in one pass: function over the first operand, minimum over the second.
SsaValues emitPairReduction(Arguments operands, std::string_view function) {
  FunctionBuilder& main = *operands[0].builder;
  const SsaValue first = identityOf(function, operands[0]);
  const SsaValue second = identityOf("min", operands[1]);
  const Shape kept{operands[0].shape[1]};
  const TensorType results[] = {{operands[0].type, kept}, {operands[1].type, kept}};
  const Types scalars{{operands[0].type, {}},
                      {operands[1].type, {}},
                      {operands[0].type, {}},
                      {operands[1].type, {}}};
  Region body = main.region(scalars, [&](Arguments v) -> SsaValues {
    return {combined(function, v[0], v[2]), combined("min", v[1], v[3])};
  });
  return main.emit(results, "stablehlo.reduce", {operands[0], operands[1], first, second},
                   {{"dimensions", Shape{0}}}, {std::move(body)});
}

CaseSpecification pairReductionCase(ElementType type, std::string_view function,
                                    const Shape& shape = {4, 6}) {
  return {.primitive = "reduce",
          .label = fmt::format("computation={}-min", function),
          .arguments = {{type, shape}, {ElementType::kI32, shape}},
          .domains = {domains::kPlain},
          .emit = [function](Arguments x) { return emitPairReduction(x, function); },
          .expect = [function](Tensors inputs) -> Result<std::vector<Tensor>> {
            const int64_t dimensions[] = {0};
            return std::vector<Tensor>{oracle::reduced(function, inputs[0], dimensions),
                                       oracle::reduced("min", inputs[1], dimensions)};
          },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addReductionCases) {
  for (const ReductionPrimitive& primitive : kReductions) {
    for (ElementType type : primitive.types) {
      cases.add(reductionCase(primitive, type, {4, 5}, {0}));
      cases.add(reductionCase(primitive, type, {3, 6}, {0, 1}));
      cases.addPoly([&](Sizes s) { return reductionCase(primitive, type, {s.b, s.c}, {0}); });
      if (type != ElementType::kF32 && type != ElementType::kI32) continue;
      cases.add(reductionCase(primitive, type, {2, 3, 4}, {1}));
      cases.add(reductionCase(primitive, type, {2, 3, 4}, {0, 2}));
      cases.add(reductionCase(primitive, type, {0, 3}, {0}));
      cases.add(reductionCase(primitive, type, {1, 1}, {1}));
    }
  }
}

VINTAGE_FAMILY(addArgumentReductionCases) {
  for (bool largest : {true, false}) {
    for (ElementType type : types::kOrdered) {
      for (ElementType index :
           {ElementType::kI32, ElementType::kI64, ElementType::kUi32, ElementType::kUi64}) {
        cases.add(argumentReductionCase(largest, type, {15}, 0, index));
      }
      cases.add(argumentReductionCase(largest, type, {4, 5}, 1, ElementType::kI32));
      cases.addPoly([&](Sizes s) {
        return argumentReductionCase(largest, type, {s.b, s.c}, 1, ElementType::kI32);
      });
    }
    for (ElementType index : {ElementType::kI32, ElementType::kI8, ElementType::kUi8}) {
      cases.add(argumentReductionCase(largest, ElementType::kF32, {18, 12}, 0, index));
      cases.add(argumentReductionCase(largest, ElementType::kF32, {18, 12}, 1, index));
    }
    cases.add(argumentReductionCase(largest, ElementType::kF32, {2, 3, 4}, 1, ElementType::kI64));
    cases.add(argumentReductionCase(largest, ElementType::kI32, {1}, 0, ElementType::kI32));
  }
}

VINTAGE_FAMILY(addGenericReductionCases) {
  for (ElementType type : types::kAll) {
    cases.add(pairReductionCase(type, "max"));
    cases.add(pairReductionCase(type, "min"));
    cases.addPoly([&](Sizes s) { return pairReductionCase(type, "max", {s.b, s.c}); });
    if (isInteger(type)) {
      cases.add(pairReductionCase(type, "add"));
      cases.add(pairReductionCase(type, "xor"));
    }
  }
}

}  // namespace vintage::primitives

// argmax, argmin.
#include <limits>

#include <fmt/format.h>

#include "golden/oracle/number.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"
#include "primitives/catalogue/reductions/argument_reduce.h"

namespace vintage::primitives::catalogue {

// JAX folds pairs of value and position: NaN wins, then the better value, then
// the lower position.
SsaValues emitArgumentReduction(FunctionWriter& callee, bool largest, int64_t dimension,
                             ElementType index) {
  const SsaValue operand = callee.arguments()[0];
  const SsaValue positions = callee.iota(index, operand.shape, dimension);
  const SsaValue worst =
      callee.constant(operand.type, identityLiteral(largest ? "max" : "min", operand.type));
  const SsaValue zero = callee.number(index, 0);
  Shape shape = operand.shape;
  shape.erase(shape.begin() + dimension);
  const TensorType results[] = {{operand.type, shape}, {index, shape}};
  const std::vector<SsaValue> reduced = callee.beginOperation(
      results,
      fmt::format(
          "stablehlo.reduce({} init: {}), ({} init: {}) across dimensions = [{}] : ({}, {}, "
          "{}, {}) -> ({}, {})\n",
          operand.name, worst.name, positions.name, zero.name, dimension, typeText(operand),
          typeText(positions), typeText(worst), typeText(zero), tensorText(operand.type, shape),
          tensorText(index, shape)));
  const TensorType scalars[] = {{operand.type, {}}, {index, {}}, {operand.type, {}}, {index, {}}};
  callee.startLine();
  const std::vector<SsaValue> values = callee.enterRegion(scalars);
  callee.append(fmt::format(" reducer({}: {}, {}: {}) ({}: {}, {}: {})  {{\n", values[0].name,
                            typeText(values[0]), values[2].name, typeText(values[2]),
                            values[1].name, typeText(values[1]), values[3].name,
                            typeText(values[3])));
  SsaValue pick = callee.compare(largest ? "GT" : "LT", values[0], values[2]);
  if (isFloat(operand.type)) {
    const SsaValue isNan = callee.compare("NE", values[0], values[0]);
    pick = callee.same("stablehlo.or", pick, isNan);
  }
  const SsaValue tie = callee.compare("EQ", values[0], values[2]);
  const SsaValue earlier = callee.compare("LT", values[1], values[3]);
  const SsaValue both = callee.same("stablehlo.and", tie, earlier);
  const SsaValue pickPosition = callee.same("stablehlo.or", pick, both);
  const SsaValue value = callee.select(pick, values[0], values[2]);
  callee.returnFromRegion({value, callee.select(pickPosition, values[1], values[3])});
  callee.leaveRegion();
  callee.append("}");
  callee.endOperation();
  return {reduced[1]};
}

namespace {

void addArgumentReduction(CaseList& cases, bool largest, ElementType type, const Shape& shape,
                          int64_t dimension, ElementType index) {
  const char* name = largest ? "argmax" : "argmin";
  cases.add({.primitive = name,
             .label = fmt::format("axis={}_index={}", dimension, dtypeName(index)),
             .arguments = {{type, shape}},
             // A NaN decides everything: only long rows keep other contests.
             .domains = {shape[static_cast<size_t>(dimension)] > 12 ? domains::kFewEdges
                                                                    : domains::kTies},
             .emit = [=](FunctionWriter& main, std::span<const SsaValue> arguments,
                         const std::string&) -> SsaValues {
               return main.module().callPrivate(
                   main, name, arguments, [&](FunctionWriter& callee) {
                     callee.finish(emitArgumentReduction(callee, largest, dimension, index));
                   });
             },
             .expect = one([=](std::span<const Tensor> inputs) -> Result<Tensor> {
               return oracle::argumentReduced(inputs[0], dimension, largest, index);
             })});
}

}  // namespace

VINTAGE_FAMILY(addArgumentReductionCases) {
  for (bool largest : {true, false}) {
    for (ElementType type : types::ordered()) {
      for (ElementType index : {ElementType::kI32, ElementType::kI64, ElementType::kUi32,
                                ElementType::kUi64}) {
        addArgumentReduction(cases, largest, type, {15}, 0, index);
      }
      addArgumentReduction(cases, largest, type, {4, 5}, 1, ElementType::kI32);
      cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
        addArgumentReduction(list, largest, type, {sizes.b, sizes.c}, 1, ElementType::kI32);
      });
    }
    for (ElementType index : {ElementType::kI32, ElementType::kI8, ElementType::kUi8}) {
      addArgumentReduction(cases, largest, ElementType::kF32, {18, 12}, 0, index);
      addArgumentReduction(cases, largest, ElementType::kF32, {18, 12}, 1, index);
    }
    addArgumentReduction(cases, largest, ElementType::kF32, {2, 3, 4}, 1, ElementType::kI64);
    addArgumentReduction(cases, largest, ElementType::kI32, {1}, 0, ElementType::kI32);
  }
}

}  // namespace vintage::primitives::catalogue

// reduce: with a region of several operands and operations.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

// Two folds in one pass: function over the first operand, minimum over the second.
SsaValues emitPairReduction(FunctionWriter& main, std::span<const SsaValue> operands,
                            std::string_view function) {
  const SsaValue first =
      main.constant(operands[0].type, identityLiteral(function, operands[0].type));
  const SsaValue second = main.constant(operands[1].type, identityLiteral("min", operands[1].type));
  const Shape kept{operands[0].shape[1]};
  const TensorType results[] = {{operands[0].type, kept}, {operands[1].type, kept}};
  SsaValues values = main.beginOperation(
      results,
      fmt::format("stablehlo.reduce({} init: {}), ({} init: {}) across dimensions = [0] : ({}, {}, "
                  "{}) -> ({}, {})\n",
                  operands[0].name, first.name, operands[1].name, second.name, typesText(operands),
                  typeText(first), typeText(second), tensorText(operands[0].type, kept),
                  tensorText(operands[1].type, kept)));
  const TensorType scalars[] = {{operands[0].type, {}}, {operands[1].type, {}},
                                {operands[0].type, {}}, {operands[1].type, {}}};
  main.startLine();
  const SsaValues v = main.enterRegion(scalars);
  main.append(fmt::format(" reducer({}: {}, {}: {}) ({}: {}, {}: {})  {{\n", v[0].name,
                          typeText(v[0]), v[2].name, typeText(v[2]), v[1].name, typeText(v[1]),
                          v[3].name, typeText(v[3])));
  const SsaValue left = combined(main, function, v[0], v[2]);
  main.returnFromRegion({left, combined(main, "min", v[1], v[3])});
  main.leaveRegion();
  main.append("}");
  main.endOperation();
  return values;
}

void addPairReduction(CaseList& cases, ElementType type, std::string_view function,
                      const Shape& shape = {4, 6}) {
  cases.add({.primitive = "reduce",
             .label = fmt::format("computation={}-min", function),
             .arguments = {{type, shape}, {ElementType::kI32, shape}},
             .domains = {domains::kPlain},
             .emit = [function](FunctionWriter& main, std::span<const SsaValue> arguments,
                                const std::string&) {
               return emitPairReduction(main, arguments, function);
             },
             .expect = [function](std::span<const Tensor> inputs) -> Result<std::vector<Tensor>> {
               const int64_t dimensions[] = {0};
               return std::vector<Tensor>{oracle::reduced(function, inputs[0], dimensions),
                                          oracle::reduced("min", inputs[1], dimensions)};
             },
             .oracle = "definition"});
}

}  // namespace

VINTAGE_FAMILY(addGenericReductionCases) {
  for (ElementType type : types::all()) {
    addPairReduction(cases, type, "max");
    addPairReduction(cases, type, "min");
    cases.addPolymorphic([&](CaseList& list, const DimensionSizes& sizes) {
      addPairReduction(list, type, "max", {sizes.b, sizes.c});
    });
    if (isInteger(type)) {
      addPairReduction(cases, type, "add");
      addPairReduction(cases, type, "xor");
    }
  }
}

}  // namespace vintage::primitives::catalogue

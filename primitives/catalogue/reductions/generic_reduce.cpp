// reduce: with a region of several operands and operations.
#include <fmt/format.h>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/reduction.h"
#include "primitives/catalogue/families.h"
#include "primitives/lowering/fold.h"

namespace vintage::primitives::catalogue {
namespace {

// Two folds in one pass: function over the first operand, minimum over the second.
SsaValues emitPairReduction(FunctionBuilder& main, Arguments operands, std::string_view function) {
  const SsaValue first = identityOf(main, function, operands[0].type);
  const SsaValue second = identityOf(main, "min", operands[1].type);
  const Shape kept{operands[0].shape[1]};
  const TensorType results[] = {{operands[0].type, kept}, {operands[1].type, kept}};
  const Types scalars{{operands[0].type, {}},
                      {operands[1].type, {}},
                      {operands[0].type, {}},
                      {operands[1].type, {}}};
  Region body = main.region(scalars, [&](Arguments v) -> SsaValues {
    const SsaValue left = combined(main, function, v[0], v[2]);
    return {left, combined(main, "min", v[1], v[3])};
  });
  return main.emit(results, "stablehlo.reduce", {operands[0], operands[1], first, second},
                   {{"dimensions", Shape{0}}}, {std::move(body)});
}

void addPairReduction(CaseList& cases, ElementType type, std::string_view function,
                      const Shape& shape = {4, 6}) {
  cases.add({.primitive = "reduce",
             .label = fmt::format("computation={}-min", function),
             .arguments = {{type, shape}, {ElementType::kI32, shape}},
             .domains = {domains::kPlain},
             .emit =
                 [function](FunctionBuilder& main, Arguments arguments) {
                   return emitPairReduction(main, arguments, function);
                 },
             .expect = [function](Tensors inputs) -> Result<std::vector<Tensor>> {
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
    cases.addPoly([&](CaseList& list, Sizes s) {
      addPairReduction(list, type, "max", {s.b, s.c});
    });
    if (isInteger(type)) {
      addPairReduction(cases, type, "add");
      addPairReduction(cases, type, "xor");
    }
  }
}

}  // namespace vintage::primitives::catalogue

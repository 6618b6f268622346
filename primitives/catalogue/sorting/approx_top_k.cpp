// approx_top_k: as TPUs find them, or by sorting where is_fallback says so.
#include <algorithm>

#include <fmt/format.h>

#include "golden/oracle/data_movement.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// A function of two values and their two positions.
std::string comparator(ModuleBuilder& module, ElementType type, bool largest) {
  const std::string name =
      fmt::format("top_k_{}_{}_comparator", largest ? "gt" : "lt", stablehloName(type));
  const TensorType arguments[] = {{type, {}}, {type, {}}, {kInt, {}}, {kInt, {}}};
  return module.visibleName(name, arguments, [&](Arguments x) {
    return emitOne({ElementType::kI1, {}}, "stablehlo.compare", {x[0], x[1]},
                   {{"comparison_direction", largest ? "GT" : "LT"}});
  });
}

struct Use {
  Shape shape;
  int64_t dimension, k;
};
const Use kUses[] = {{{15}, 0, 3}, {{4, 6}, 1, 2}, {{6, 4}, 0, 6}, {{8}, 0, 1}};

// With a dimension variable for k it is an operand, of a target of its own.
SsaValues emitApproxTopK(const SsaValue& operand, const Use& use, bool largest) {
  FunctionBuilder& main = *operand.builder;
  const ElementType type = operand.type;
  const std::string name = comparator(main.module(), type, largest);
  const SsaValue positions = main.iota(kInt, operand.shape, use.dimension);
  const SsaValue start = main.number(type, largest ? -oracle::kInfinity : oracle::kInfinity);
  SsaValues operands{operand, positions, start, main.constant(kInt, -1)};
  Shape shape = operand.shape;
  shape[static_cast<size_t>(use.dimension)] = use.k;
  const bool computed = isSymbolic(use.k);
  if (computed) operands.push_back(main.dimension(use.k));
  AttributeMap attributes{{"called_computations", AttributeList{name}}};
  if (std::ranges::any_of(shape, isSymbolic)) {
    const auto place = static_cast<int64_t>(operands.size());
    attributes.emplace("indices_of_shape_operands",
                       Attribute(Shape{place, place + 1}, ElementType::kI64));
    for (size_t i = 0; i < 2; ++i) operands.push_back(main.sizes(shape));
  }
  AttributeMap configuration{{"aggregate_to_topk", true},
                             {"recall_target", {0.95, ElementType::kF32}},
                             {"reduction_dim", use.dimension},
                             {"reduction_input_size_override", -1}};
  if (main.platform() != "tpu") configuration.emplace("is_fallback", true);
  if (!computed) configuration.emplace("top_k", use.k);
  attributes.emplace("mhlo.backend_config", std::move(configuration));
  return main.customCall(computed ? "stablehlo.dynamic_approx_top_k" : "ApproxTopK", operands,
                         {{type, shape}, {kInt, shape}}, std::move(attributes));
}

CaseSpecification approxTopKCase(ElementType type, const Use& use, bool largest) {
  return {.primitive = "approx_top_k",
          .label = fmt::format("k={}_dimension={}_max={}", use.k, use.dimension, largest),
          .arguments = {{type, use.shape}},
          // Without ties there is one answer, and few elements are all looked at.
          .domains = {Domain{.distinct = true}},
          .emit = [use, largest](Arguments x) { return emitApproxTopK(x[0], use, largest); },
          .expect =
              [use, largest](Tensors inputs) {
                return oracle::firstInOrder(inputs[0], static_cast<size_t>(use.dimension), use.k,
                                            largest);
              },
          .oracle = "definition"};
}

}  // namespace

VINTAGE_FAMILY(addApproxTopKCases) {
  for (ElementType type : types::kFloats) {
    for (const Use& use : kUses) {
      for (bool largest : {true, false}) cases.add(approxTopKCase(type, use, largest));
    }
    cases.addPoly([&](Sizes s) { return approxTopKCase(type, {{s.b, 6}, 1, 2}, true); });
    cases.addPoly([&](Sizes s) { return approxTopKCase(type, {{s.b + 4}, 0, s.b}, true); });
  }
}

}  // namespace vintage::primitives

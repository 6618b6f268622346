#include "primitives/lowering/chlo/functions.h"

#include <fmt/format.h>

#include "primitives/lowering/chlo/decompositions.h"

namespace vintage::primitives::lowering::chlo {
namespace {

// What serialization makes of an operation of CHLO that it leaves to the compiler.
SsaValues call(FunctionBuilder& builder, std::string_view name, const Operands& operands,
               const Types& results, AttributeMap attributes = {}) {
  return builder.customCall(
      fmt::format("mhlo.{}", name), operands, results,
      {{"mhlo.attributes", std::move(attributes)}, {"mhlo.version", 1}});
}

template <typename Decompose>
SsaValues composite(FunctionBuilder& builder, std::string_view name, const Operands& operands,
                    const Types& results, AttributeMap attributes, Decompose decompose) {
  const std::string decomposition = builder.module().decompositionName(
      fmt::format("chlo.{}.impl", name), typesOf(operands), [&](FunctionBuilder& callee) {
        callee.finish(decompose(callee, Operands(callee.arguments())));
      });
  return builder.composite(fmt::format("chlo.{}", name), operands, results, std::move(attributes),
                           decomposition);
}

}  // namespace

SsaValue elementwise(FunctionBuilder& builder, std::string_view name, const Operands& operands) {
  const TensorType result = typeOf(operands[0]);
  switch (builder.module().profile().formOf(name, result.type)) {
    case ChloForm::kOperations:
      return decomposed(builder, name, operands);
    case ChloForm::kCall:
      return call(builder, name, operands, {result}).front();
    case ChloForm::kComposite:
      break;
  }
  return composite(builder, name, operands, {result}, {},
                   [&](FunctionBuilder& callee, const Operands& arguments) {
                     return SsaValues{decomposed(callee, name, arguments)};
                   })
      .front();
}

SsaValues topK(FunctionBuilder& builder, const SsaValue& operand, int64_t k) {
  TensorType values = typeOf(operand);
  values.shape.back() = k;
  const Types results{values, {ElementType::kI32, values.shape}};
  switch (builder.module().profile().formOf("top_k", operand.type)) {
    case ChloForm::kOperations:
      return sortedTopK(builder, operand, k);
    case ChloForm::kCall:
      return call(builder, "topk", {operand}, results, {{"k", k}});
    case ChloForm::kComposite:
      break;
  }
  return composite(builder, "top_k", {operand}, results,
                   {{"is_stable", true}, {"k", k}},
                   [&](FunctionBuilder& callee, const Operands& arguments) {
                     return sortedTopK(callee, arguments[0], k);
                   });
}

}  // namespace vintage::primitives::lowering::chlo

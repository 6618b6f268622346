// Derivatives of what does not change when its inputs move a little, and of what is
// declared not to: zeros.
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

SsaValues writeZeros(const Pullback& p) {
  SsaValues zeros;
  for (const SsaValue& input : p.inputs) zeros.push_back(input.like(0));
  return zeros;
}

std::vector<Tensor> zerosOf(const PullbackValues& values) {
  std::vector<Tensor> zeros;
  for (const Tensor& input : values.inputs) zeros.emplace_back(input.type(), input.shape());
  return zeros;
}

}  // namespace

VINTAGE_DERIVATIVES(constantDerivatives) {
  DerivativeRules rules;
  const auto constant = [&](const char* primitive, const char* label,
                            std::span<const ElementType> types) {
    rules.push_back({.primitive = primitive, .label = label, .types = types, .write = writeZeros,
                     .oracle = zerosOf});
  };
  for (const char* primitive : {"stop_gradient", "zeros_like", "eq", "ne"}) {
    constant(primitive, "", types::kInexact);
  }
  for (const char* primitive : {"lt", "le", "gt", "ge", "is_finite", "floor", "ceil", "sign"}) {
    constant(primitive, "", types::kFloats);
  }
  for (const char* primitive : {"argmax", "argmin"}) {
    constant(primitive, "axis=1_index=int32", types::kFloats);
  }
  constant("round", "method=away", types::kFloats);
  constant("round", "method=even", types::kFloats);
  return rules;
}

}  // namespace vintage::primitives

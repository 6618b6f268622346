// Annotations for partitioning and placement: on one device they change
// nothing.

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kIdentities[] = {
    "AllocateBuffer",
    "LayoutConstraint",
    "MoveToDevice",
    "MoveToHost",
    "PinToDevice",
    "PinToDeviceSram",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "Sharding",
    "UnpinFromDevice",
    "annotate_device_placement",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape",
    "xla.sdy.PropagationBarrier",
    "xla.sdy.ShardingGroup",
};

Result<Kernel> makeIdentity(const CustomCallTarget& target, const KernelRequest& request) {
  const bool makesBuffer = request.operandTypes.empty();
  for (size_t i = 0; i < request.resultTypes.size(); ++i) {
    const ValueType& result = request.resultTypes[i];
    if (makesBuffer) continue;
    if (i >= request.operandTypes.size()) {
      return badInput("custom_call @{} has {} operands and {} results.", target.name,
                      request.operandTypes.size(), request.resultTypes.size());
    }
    const ValueType& operand = request.operandTypes[i];
    bool same = operand.element == result.element && operand.shape.size() == result.shape.size();
    for (size_t d = 0; same && d < operand.shape.size(); ++d) {
      same = operand.shape[d] == result.shape[d] || operand.shape[d] == kDynamicDimension ||
             result.shape[d] == kDynamicDimension;
    }
    if (!same) {
      return unsupported(
          "custom_call @{} turns {} into {}: the program is partitioned over "
          "several devices, and the embedded engine has one. Replay it on a "
          "consumer with as many devices.",
          target.name, operand.text, result.text);
    }
  }
  std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return Kernel([types, makesBuffer](KernelCall& call) -> Status {
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (!makesBuffer) {
        call.results[i] = call.operands[i];
        continue;
      }
      ASSIGN_OR_RETURN(call.results[i].tensor, Tensor::make(types[i].element, types[i].shape));
    }
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> identityTargets() {
  std::vector<CustomCallTarget> targets;
  for (std::string_view name : kIdentities) {
    targets.push_back({.name = std::string(name),
                       .platform = "any",
                       .apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kTypedFfi},
                       .signature = name == "AllocateBuffer"
                                        ? CustomCallSignature{{}, {"buffer: array"}, {}}
                                        : CustomCallSignature{{"x: array"}, {"x: array"}, {}},
                       .factory = makeIdentity});
  }
  return targets;
}

}  // namespace vintage::harness

// Annotations for partitioning and placement: on one device they change
// nothing.
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness::engine {
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
      return failure(
          Error::Kind::kUnsupported,
          fmt::format("custom_call @{} turns {} into {}: the program is partitioned over "
                      "several devices, and the embedded engine has one. Replay it on a "
                      "consumer with as many devices.",
                      target.name, operand.text, result.text));
    }
  }
  std::vector<ValueType> types(request.resultTypes.begin(), request.resultTypes.end());
  return Kernel([types, makesBuffer](KernelCall& call) -> Status {
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (!makesBuffer) {
        call.results[i] = call.operands[i];
        continue;
      }
      ASSIGN_OR_RETURN(auto buffer, Tensor::make(types[i].element, types[i].shape));
      call.results[i].tensor = std::move(buffer);
    }
    return {};
  });
}

}  // namespace

std::vector<CustomCallTarget> identityTargets() {
  std::vector<CustomCallTarget> targets;
  for (std::string_view name : kIdentities) {
    CustomCallTarget target;
    target.name = name;
    target.platform = "any";
    target.apiVersions = {CustomCallApi::kOriginal, CustomCallApi::kTypedFfi};
    target.signature = name == "AllocateBuffer"
                           ? CustomCallSignature{{}, {"buffer: array"}, {}}
                           : CustomCallSignature{{"x: array"}, {"x: array"}, {}};
    target.factory = makeIdentity;
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace vintage::harness::engine

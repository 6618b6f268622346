#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"

namespace vintage::golden {
namespace {

constexpr uint32_t kLargestShortCount = 32767;

void raise(SerializationNeed& need, uint16_t version, std::string reason) {
  if (version > need.version) need = {version, std::move(reason)};
}

bool hasCustomNode(const PyTree& tree) {
  return tree.kind == PyTree::Kind::kCustom || std::ranges::any_of(tree.children, hasCustomNode);
}

void raiseForValues(const std::vector<AbstractValue>& values, std::string_view what,
                    SerializationNeed& need) {
  for (size_t i = 0; i < values.size(); ++i) {
    const AbstractValue& value = values[i];
    raise(need, static_cast<uint16_t>(dtypeSerializationVersion(value.dtype)),
          fmt::format("{} {} is of type {}", what, i, value.dtype));
    if (value.memorySpace == AbstractValue::MemorySpace::kHost ||
        value.memorySpace == AbstractValue::MemorySpace::kAny)
      raise(need, 5, fmt::format("{} {} is not in device memory", what, i));
  }
}

// "cpu", "tpu" or "gpu" where the device kind implies it; empty otherwise. As JAX's reader does
// for files from before version 11.
std::string_view platformOfDeviceKind(std::string_view deviceKind) {
  std::string lower(deviceKind);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (lower.find("cpu") != std::string::npos) return "cpu";
  if (lower.find("tpu") != std::string::npos) return "tpu";
  for (const std::string_view vendor : {"nvidia", "tesla", "amd"})
    if (lower.find(vendor) != std::string::npos) return "gpu";
  return {};
}

void raiseForShardings(const std::vector<Sharding>& shardings, std::string_view what,
                       SerializationNeed& need) {
  for (size_t i = 0; i < shardings.size(); ++i) {
    const Sharding& sharding = shardings[i];
    if (!sharding.named) continue;
    if (sharding.hloShardingProto.empty())
      raise(need, 9, fmt::format("the sharding of {} {} has no HLO form", what, i));
    else
      raise(need, 6, fmt::format("the sharding of {} {} names mesh axes", what, i));
    const std::optional<AbstractDevice>& device = sharding.named->mesh.device;
    if (!device) continue;
    raise(need, 8, fmt::format("the mesh of {} {} names a device", what, i));
    if (!device->platform.empty() && platformOfDeviceKind(device->deviceKind) != device->platform)
      raise(need, 11,
            fmt::format("the device kind '{}' does not imply its platform '{}'", device->deviceKind,
                        device->platform));
  }
}

bool hasHloShardingAlone(const std::vector<Sharding>& shardings) {
  return std::ranges::any_of(shardings, [](const Sharding& sharding) {
    return sharding.kind == Sharding::Kind::kHloSharding;
  });
}

}  // namespace

SerializationNeed lowestSerializationVersion(const Exported& exported) {
  SerializationNeed need;
  if (hasCustomNode(exported.inputTree) || hasCustomNode(exported.outputTree))
    raise(need, 3, "a pytree has a node of a custom type");
  if (exported.deviceCount > kLargestShortCount)
    raise(need, 5, fmt::format("it is for {} devices", exported.deviceCount));
  raiseForValues(exported.inputs, "input", need);
  raiseForValues(exported.outputs, "output", need);
  raiseForShardings(exported.inputShardings, "input", need);
  raiseForShardings(exported.outputShardings, "output", need);
  if (exported.vjp) {
    const SerializationNeed inner = lowestSerializationVersion(*exported.vjp);
    raise(need, inner.version, "in its derivative, " + inner.reason);
  }
  return need;
}

Status checkHolds(const Exported& exported, uint16_t version) {
  const auto refuse = [&](std::string_view why, std::string_view accepted) {
    return unsupported("serialization version {} cannot be written: {}; {}", version, why,
                       accepted);
  };
  if (version == 0 || version > kNewestSerializationVersion)
    return refuse("this build does not know it",
                  fmt::format("1 to 6 and 8 to {} can be", kNewestSerializationVersion));
  if (version == kWithdrawnSerializationVersion)
    return refuse("it was withdrawn", "6 and 8 are its neighbours");
  const SerializationNeed need = lowestSerializationVersion(exported);
  if (need.version > version)
    return refuse(need.reason, fmt::format("version {} is the lowest that can hold that",
                                           need.version));
  if (version >= 9 && (hasHloShardingAlone(exported.inputShardings) ||
                       hasHloShardingAlone(exported.outputShardings)))
    return refuse("a sharding is known in its HLO form only",
                  "version 8 is the newest that can hold that");
  if (exported.vjp) return checkHolds(*exported.vjp, version);
  return {};
}

}  // namespace vintage::golden

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/lowercase.h"
#include "golden/exported/dimension_expression.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"

namespace vintage::golden {
namespace {

constexpr int kDeepestTree = 200;

size_t leafCount(const PyTree& tree) {
  if (tree.kind == PyTree::Kind::kLeaf) return 1;
  size_t leaves = 0;
  for (const PyTree& child : tree.children) leaves += leafCount(child);
  return leaves;
}

Status checkTree(const PyTree& tree, std::string_view field, int depth = 0) {
  if (depth > kDeepestTree)
    return badInput("{}: it is nested more than {} deep", field, kDeepestTree);
  const bool childless = tree.kind == PyTree::Kind::kLeaf || tree.kind == PyTree::Kind::kNone;
  if (childless && !tree.children.empty())
    return badInput("{}: a leaf has {} children", field, tree.children.size());
  if (tree.kind == PyTree::Kind::kDict) {
    if (tree.childNames.size() != tree.children.size())
      return badInput("{}: a dictionary has {} keys for {} children", field, tree.childNames.size(),
                      tree.children.size());
    std::vector<std::string> keys = tree.childNames;
    std::ranges::sort(keys);
    if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
      return badInput("{}: a dictionary has the key '{}' twice", field, *twice);
  }
  if (tree.kind == PyTree::Kind::kCustom && tree.customName.empty())
    return badInput("{}: a custom node has no name", field);
  for (const PyTree& child : tree.children) RETURN_IF_ERROR(checkTree(child, field, depth + 1));
  return {};
}

Status checkValues(const std::vector<AbstractValue>& values, const PyTree& tree,
                   std::string_view valuesField, std::string_view treeField) {
  RETURN_IF_ERROR(checkTree(tree, treeField));
  if (const size_t leaves = leafCount(tree); leaves != values.size())
    return badInput("{} has {} values, but {} has {} leaves", valuesField, values.size(), treeField,
                    leaves);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!wireDtype(values[i].dtype))
      return badInput("{}: value {} is of the unknown element type '{}'", valuesField, i,
                      values[i].dtype);
    for (const std::string& dimension : values[i].shape) {
      const Result<DimensionExpression> expression = DimensionExpression::parse(dimension);
      if (!expression)
        return within(fmt::format("{}: value {}", valuesField, i), expression.error());
      if (!expression->variables().empty()) continue;
      if (const Result<int64_t> size = expression->evaluate({}); !size || *size < 0)
        return badInput("{}: value {} has the dimension {}; it must be 0 or more", valuesField, i,
                        dimension);
    }
  }
  return {};
}

Status checkSharding(const Sharding& sharding, std::string_view field) {
  if (sharding.kind == Sharding::Kind::kNamedSharding) {
    if (!sharding.named) return badInput("{}: a named sharding is missing", field);
    const AbstractMesh& mesh = sharding.named->mesh;
    if (mesh.axisNames.size() != mesh.axisSizes.size() ||
        (!mesh.axisTypes.empty() && mesh.axisTypes.size() != mesh.axisSizes.size()))
      return badInput("{}: its mesh has {} axis sizes, {} names and {} types", field,
                      mesh.axisSizes.size(), mesh.axisNames.size(), mesh.axisTypes.size());
    for (const auto& partition : sharding.named->spec.partitions)
      for (const std::string& axis : partition.value_or(std::vector<std::string>()))
        if (std::ranges::find(mesh.axisNames, axis) == mesh.axisNames.end())
          return badInput("{}: it partitions along '{}', which its mesh does not have", field,
                          axis);
  } else if (sharding.named) {
    return badInput("{}: a sharding that is not a named one names a mesh", field);
  }
  return {};
}

Status checkShardings(const std::vector<Sharding>& shardings, size_t values,
                      std::string_view field) {
  if (shardings.size() != values)
    return badInput("{} has {} entries for {} values", field, shardings.size(), values);
  for (size_t i = 0; i < shardings.size(); ++i)
    RETURN_IF_ERROR(checkSharding(shardings[i], fmt::format("{} {}", field, i)));
  return {};
}

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

// "cpu", "tpu" or "gpu" if the device kind implies it; otherwise empty. JAX's reader does the same
// for files from before version 11.
std::string_view platformOfDeviceKind(std::string_view deviceKind) {
  const std::string lower = lowercase(std::string(deviceKind));
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

Status validateExported(const Exported& exported) {
  RETURN_IF_ERROR(checkValues(exported.inputs, exported.inputTree, "in_avals", "in_tree"));
  RETURN_IF_ERROR(checkValues(exported.outputs, exported.outputTree, "out_avals", "out_tree"));
  RETURN_IF_ERROR(checkShardings(exported.inputShardings, exported.inputs.size(), "in_shardings"));
  RETURN_IF_ERROR(
      checkShardings(exported.outputShardings, exported.outputs.size(), "out_shardings"));
  if (exported.deviceCount == 0) return badInput("nr_devices: it is for 0 devices");
  if (exported.module.empty()) return badInput("mlir_module_serialized: there is no module");
  for (size_t i = 0; i < exported.keptInputs.size(); ++i) {
    if (exported.keptInputs[i] >= exported.inputs.size())
      return badInput("module_kept_var_idx: input {} is kept, but there are {} inputs",
                      exported.keptInputs[i], exported.inputs.size());
    if (i > 0 && exported.keptInputs[i] <= exported.keptInputs[i - 1])
      return badInput("module_kept_var_idx: input {} follows input {}; they must increase",
                      exported.keptInputs[i], exported.keptInputs[i - 1]);
  }
  // Convention 6 made the platforms mandatory.
  if (exported.platforms.empty() && exported.callingConventionVersion >= 6)
    return badInput("platforms: there must be at least one");
  if (exported.vjp) RETURN_IF_ERROR(within("vjp", validateExported(*exported.vjp)));
  return {};
}

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
    return refuse(need.reason,
                  fmt::format("version {} is the lowest that can hold that", need.version));
  if (version >= 9 && (hasHloShardingAlone(exported.inputShardings) ||
                       hasHloShardingAlone(exported.outputShardings)))
    return refuse("a sharding is known in its HLO form only",
                  "version 8 is the newest that can hold that");
  if (exported.vjp) return checkHolds(*exported.vjp, version);
  return {};
}

}  // namespace vintage::golden

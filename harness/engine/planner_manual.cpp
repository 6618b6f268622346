// Manual parts of a program: their body runs on each logical device, as one
// partition of a process grid, on that device's pieces of the operands.
#include <optional>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/planner.h"
#include "harness/engine/region_queries.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

// For an sdy.manual_computation: over one mesh, by its manual axes.
Result<ManualSharding> readShardySharding(const ModuleTree& module, const Operation& operation) {
  const auto* inFields = attributeField<AttributeMap>(operation.attributes, "in_shardings");
  const auto* outFields = attributeField<AttributeMap>(operation.attributes, "out_shardings");
  const auto* manualFields = attributeField<AttributeMap>(operation.attributes, "manual_axes");
  const auto* in = inFields ? attributeField<AttributeList>(*inFields, "shardings") : nullptr;
  const auto* out = outFields ? attributeField<AttributeList>(*outFields, "shardings") : nullptr;
  const auto* manual =
      manualFields ? attributeField<AttributeList>(*manualFields, "axes") : nullptr;
  if (in == nullptr || out == nullptr || manual == nullptr)
    return malformed(operation, "it lacks in_shardings, out_shardings and manual_axes");

  std::vector<std::string> manualNames;
  for (const Attribute& each : *manual) {
    if (const auto* name = std::get_if<std::string>(&each.value)) manualNames.push_back(*name);
  }
  std::optional<NamedMesh> mesh;
  const auto read = [&](const AttributeList& list, std::vector<DevicePlacement>& to) -> Status {
    for (const Attribute& each : list) {
      const auto* fields = std::get_if<AttributeMap>(&each.value);
      const auto* name = fields ? attributeField<std::string>(*fields, "mesh") : nullptr;
      if (name == nullptr) return malformed(operation, "a sharding names no mesh");
      if (!mesh) {
        ASSIGN_OR_RETURN(mesh, within(operation.name, readMesh(module, *name)));
      } else if (mesh->name != *name) {
        return malformed(operation, "its shardings name different meshes");
      }
      ASSIGN_OR_RETURN(auto sharding,
                       within(operation.name, readSharding(*fields, *mesh, &manualNames)));
      to.push_back({mesh->mesh, std::move(sharding)});
    }
    return {};
  };
  ManualSharding sharding;
  RETURN_IF_ERROR(read(*in, sharding.operands));
  RETURN_IF_ERROR(read(*out, sharding.results));
  if (!mesh) return malformed(operation, "it has neither operands nor results");
  sharding.devices = mesh->mesh.devices.size();
  return sharding;
}

// For a manual part as written before Shardy: over all partitions of the module.
Result<ManualSharding> readManualPartSharding(const ModuleTree& module, const Operation& operation,
                                              std::span<const ValueType> operands,
                                              std::span<const ValueType> results) {
  const auto* partitions = attributeField<int64_t>(module.attributes, "mhlo.num_partitions");
  const int64_t devices = partitions ? *partitions : 1;
  if (devices < 1 || devices > kMostProcesses)
    return unsupported("{}: the module is for {} partitions; the embedded engine has up to {}",
                       operation.name, devices, kMostProcesses);
  ManualSharding sharding;
  sharding.devices = static_cast<size_t>(devices);
  const auto read = [&](std::string_view attribute, std::span<const ValueType> types,
                        std::vector<DevicePlacement>& to) -> Status {
    const auto* list = attributeField<AttributeList>(operation.attributes, attribute);
    for (size_t i = 0; list != nullptr && i < list->size() && i < types.size(); ++i) {
      const auto* text = std::get_if<std::string>(&(*list)[i].value);
      const size_t rank = types[i].shape.size();
      if (text == nullptr || text->empty()) {
        to.push_back(copiesOn(devices, rank));
        continue;
      }
      ASSIGN_OR_RETURN(auto parsed, within(operation.name, parseHloSharding(*text)));
      ASSIGN_OR_RETURN(to.emplace_back(),
                       within(operation.name, placementOf(parsed, devices, rank)));
    }
    return {};
  };
  RETURN_IF_ERROR(read("in_shardings", operands, sharding.operands));
  RETURN_IF_ERROR(read("out_shardings", results, sharding.results));
  return sharding;
}

// `pieces` must be what the placements make of whole values.
Status checkPieces(const Operation& operation, std::span<const DevicePlacement> placements,
                   std::span<const ValueType> whole, std::span<const ValueType> pieces) {
  if (placements.size() != whole.size() || pieces.size() != whole.size())
    return malformed(operation, "its shardings, values and region do not agree in number");
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i].kind != ValueType::Kind::kTensor || pieces[i].kind != whole[i].kind)
      return unsupported("{}: value {} is {}; the embedded engine splits tensors", operation.name,
                         i, whole[i].text);
    auto shape = localShape(placements[i].mesh, placements[i].sharding, whole[i].shape);
    if (!shape) return malformed(operation, fmt::format("value {}: {}", i, shape.error().message));
    if (*shape != pieces[i].shape || whole[i].element != pieces[i].element)
      return malformed(operation, fmt::format("value {} of {} is {} in the region", i,
                                              whole[i].text, pieces[i].text));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planManual(
    const Operation& operation, FramePlan body, std::span<const ValueType> operandTypes,
    std::span<const ValueType> resultTypes, std::span<const ValueType> local,
    std::span<const ValueType> returned) {
  ASSIGN_OR_RETURN(auto sharding,
                   operation.name == kManualPart
                       ? readManualPartSharding(module_, operation, operandTypes, resultTypes)
                       : readShardySharding(module_, operation));
  RETURN_IF_ERROR(checkPieces(operation, sharding.operands, operandTypes, local));
  RETURN_IF_ERROR(checkPieces(operation, sharding.results, resultTypes, returned));

  auto parallel = std::make_shared<ParallelPlan>();
  parallel->grid.partitions = static_cast<int64_t>(sharding.devices);
  const auto shared = std::make_shared<const FramePlan>(std::move(body));
  parallel->programs.assign(sharding.devices, shared);
  parallel->sharding = std::make_shared<const ManualSharding>(std::move(sharding));
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

}  // namespace vintage::harness

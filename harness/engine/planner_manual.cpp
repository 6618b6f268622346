// sdy.manual_computation: its body runs on each logical device of its mesh, as
// one partition of a process grid, on that device's pieces of the operands.
#include <optional>

#include <fmt/format.h>

#include "harness/engine/planner.h"
#include "harness/engine/sharding_attributes.h"

namespace vintage::harness::engine {

Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planManual(
    const Operation& operation, FramePlan body, std::span<const ValueType> operandTypes,
    std::span<const ValueType> resultTypes, std::span<const ValueType> local,
    std::span<const ValueType> returned) {
  const auto* inFields = attributeField<AttributeMap>(operation.attributes, "in_shardings");
  const auto* outFields = attributeField<AttributeMap>(operation.attributes, "out_shardings");
  const auto* manualFields = attributeField<AttributeMap>(operation.attributes, "manual_axes");
  const auto* in = inFields ? attributeField<AttributeList>(*inFields, "shardings") : nullptr;
  const auto* out = outFields ? attributeField<AttributeList>(*outFields, "shardings") : nullptr;
  const auto* manual =
      manualFields ? attributeField<AttributeList>(*manualFields, "axes") : nullptr;
  if (in == nullptr || out == nullptr || manual == nullptr)
    return malformed(operation, "it tells no in_shardings, out_shardings and manual_axes");
  if (in->size() != operandTypes.size() || local.size() != operandTypes.size() ||
      out->size() != resultTypes.size() || returned.size() != resultTypes.size())
    return malformed(operation, "its shardings, values and region do not agree in number");

  std::vector<std::string> manualNames;
  for (const Attribute& each : *manual) {
    if (const auto* name = std::get_if<std::string>(&each.value)) manualNames.push_back(*name);
  }
  std::optional<NamedMesh> mesh;
  auto sharding = std::make_shared<ManualSharding>();
  const auto read = [&](const AttributeList& list, std::span<const ValueType> global,
                        std::span<const ValueType> pieces,
                        std::vector<ValueSharding>& to) -> Status {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto* fields = std::get_if<AttributeMap>(&list[i].value);
      const auto* name = fields ? attributeField<std::string>(*fields, "mesh") : nullptr;
      if (name == nullptr) return malformed(operation, "a sharding names no mesh");
      if (!mesh) {
        auto found = readMesh(module_, *name);
        if (!found) return within(operation.name, found.error());
        mesh = std::move(*found);
      } else if (mesh->name != *name) {
        return malformed(operation, "its shardings name different meshes");
      }
      auto each = readSharding(*fields, *mesh, &manualNames);
      if (!each) return within(operation.name, each.error());
      auto shape = localShape(mesh->mesh, *each, global[i].shape);
      if (!shape)
        return malformed(operation, fmt::format("value {}: {}", i, shape.error().message));
      if (*shape != pieces[i].shape || global[i].element != pieces[i].element)
        return malformed(operation, fmt::format("value {} of {} is {} in the region", i,
                                                global[i].text, pieces[i].text));
      to.push_back(std::move(*each));
    }
    return {};
  };
  RETURN_IF_ERROR(read(*in, operandTypes, local, sharding->operands));
  RETURN_IF_ERROR(read(*out, resultTypes, returned, sharding->results));
  if (!mesh) return malformed(operation, "it has neither operands nor results");
  sharding->mesh = mesh->mesh;

  auto parallel = std::make_shared<ParallelPlan>();
  parallel->grid.partitions = static_cast<int64_t>(mesh->mesh.devices.size());
  const auto shared = std::make_shared<const FramePlan>(std::move(body));
  parallel->programs.assign(mesh->mesh.devices.size(), shared);
  parallel->sharding = std::move(sharding);
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

}  // namespace vintage::harness::engine

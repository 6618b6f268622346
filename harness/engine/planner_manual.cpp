// sdy.manual_computation: its body runs on each logical device of its mesh, as
// one partition of a process grid, on that device's pieces of the operands.
#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "harness/engine/planner.h"

namespace vintage {
namespace {

tl::unexpected<Error> malformed(const Operation& operation, std::string_view what) {
  return failure(Error::Kind::kBadInput, fmt::format("{}: {}", operation.name, what));
}

template <typename Kind>
const Kind* field(const AttributeMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : std::get_if<Kind>(&found->second.value);
}

struct NamedMesh {
  std::string name;
  std::vector<std::string> axes;
  DeviceMesh mesh;
};

Result<NamedMesh> readMesh(const ModuleTree& module, const Operation& operation,
                           const std::string& name) {
  const AttributeMap* fields = nullptr;
  for (const Operation& other : module.others) {
    const auto* symbol = field<std::string>(other.attributes, "sym_name");
    if (other.name == "sdy.mesh" && symbol && *symbol == name)
      fields = field<AttributeMap>(other.attributes, "mesh");
  }
  const AttributeList* axes = fields ? field<AttributeList>(*fields, "axes") : nullptr;
  if (axes == nullptr)
    return malformed(operation, fmt::format("the module has no mesh @{}", name));
  NamedMesh found;
  found.name = name;
  int64_t count = 1;
  for (const Attribute& axis : *axes) {
    const auto* map = std::get_if<AttributeMap>(&axis.value);
    const auto* axisName = map ? field<std::string>(*map, "name") : nullptr;
    const auto* size = map ? field<int64_t>(*map, "size") : nullptr;
    if (axisName == nullptr || size == nullptr || *size < 1 || *size > kMostProcesses)
      return malformed(operation, fmt::format("the axes of mesh @{} are not names with sizes "
                                              "from 1 to {}",
                                              name, kMostProcesses));
    found.axes.push_back(*axisName);
    found.mesh.sizes.push_back(*size);
    count *= *size;
    if (count > kMostProcesses)
      return failure(Error::Kind::kUnsupported,
                     fmt::format("{}: mesh @{} has more than {} devices", operation.name, name,
                                 kMostProcesses));
  }
  found.mesh.devices.resize(static_cast<size_t>(count));
  std::iota(found.mesh.devices.begin(), found.mesh.devices.end(), 0);
  if (const auto* ids = field<std::vector<int64_t>>(*fields, "device_ids")) {
    std::vector<int64_t> sorted = *ids;
    std::ranges::sort(sorted);
    if (sorted != found.mesh.devices)
      return malformed(operation, fmt::format("the device_ids of mesh @{} are not the numbers "
                                              "below {}, once each",
                                              name, count));
    found.mesh.devices = *ids;
  }
  return found;
}

// Axes that are not manual do not split what the body sees.
Result<ValueSharding> readSharding(const Operation& operation, const AttributeMap& fields,
                                   const NamedMesh& mesh, const AttributeList& manualAxes) {
  ValueSharding sharding;
  const AttributeList* dimensions = field<AttributeList>(fields, "dimensions");
  if (dimensions == nullptr) return malformed(operation, "a sharding has no dimensions");
  std::vector<bool> taken(mesh.axes.size());
  for (const Attribute& dimension : *dimensions) {
    const auto* map = std::get_if<AttributeMap>(&dimension.value);
    const auto* axes = map ? field<AttributeList>(*map, "axes") : nullptr;
    if (axes == nullptr) return malformed(operation, "a dimension's sharding has no axes");
    std::vector<size_t>& split = sharding.axes.emplace_back();
    for (const Attribute& axis : *axes) {
      const auto* reference = std::get_if<AttributeMap>(&axis.value);
      const auto* name = reference ? field<std::string>(*reference, "name") : nullptr;
      if (name == nullptr) return malformed(operation, "an axis has no name");
      if (reference->contains("sub_axis_info"))
        return failure(Error::Kind::kUnsupported,
                       fmt::format("{}: a part of axis \"{}\" splits a dimension; the embedded "
                                   "engine splits by whole axes",
                                   operation.name, *name));
      const auto found = std::ranges::find(mesh.axes, *name);
      if (found == mesh.axes.end())
        return malformed(operation,
                         fmt::format("mesh @{} has no axis \"{}\"", mesh.name, *name));
      const bool manual = std::ranges::any_of(manualAxes, [&](const Attribute& each) {
        const auto* text = std::get_if<std::string>(&each.value);
        return text != nullptr && *text == *name;
      });
      if (!manual) continue;
      const auto place = static_cast<size_t>(found - mesh.axes.begin());
      if (taken[place])
        return malformed(operation, fmt::format("axis \"{}\" splits a value twice", *name));
      taken[place] = true;
      split.push_back(place);
    }
  }
  return sharding;
}

}  // namespace

Result<std::shared_ptr<const ParallelPlan>> ModulePlanner::planManual(
    const Operation& operation, FramePlan body, std::span<const ValueType> operandTypes,
    std::span<const ValueType> resultTypes, std::span<const ValueType> local,
    std::span<const ValueType> returned) {
  const auto* inFields = field<AttributeMap>(operation.attributes, "in_shardings");
  const auto* outFields = field<AttributeMap>(operation.attributes, "out_shardings");
  const auto* manualFields = field<AttributeMap>(operation.attributes, "manual_axes");
  const auto* in = inFields ? field<AttributeList>(*inFields, "shardings") : nullptr;
  const auto* out = outFields ? field<AttributeList>(*outFields, "shardings") : nullptr;
  const auto* manual = manualFields ? field<AttributeList>(*manualFields, "axes") : nullptr;
  if (in == nullptr || out == nullptr || manual == nullptr)
    return malformed(operation, "it tells no in_shardings, out_shardings and manual_axes");
  if (in->size() != operandTypes.size() || local.size() != operandTypes.size() ||
      out->size() != resultTypes.size() || returned.size() != resultTypes.size())
    return malformed(operation, "its shardings, values and region do not agree in number");

  std::optional<NamedMesh> mesh;
  auto sharding = std::make_shared<ManualSharding>();
  const auto read = [&](const AttributeList& list, std::span<const ValueType> global,
                        std::span<const ValueType> pieces,
                        std::vector<ValueSharding>& to) -> Status {
    for (size_t i = 0; i < list.size(); ++i) {
      const auto* fields = std::get_if<AttributeMap>(&list[i].value);
      const auto* name = fields ? field<std::string>(*fields, "mesh") : nullptr;
      if (name == nullptr) return malformed(operation, "a sharding names no mesh");
      if (!mesh) {
        auto found = readMesh(module_, operation, *name);
        if (!found) return tl::unexpected(found.error());
        mesh = std::move(*found);
      } else if (mesh->name != *name) {
        return malformed(operation, "its shardings name different meshes");
      }
      auto each = readSharding(operation, *fields, *mesh, *manual);
      if (!each) return tl::unexpected(each.error());
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
  if (auto status = read(*in, operandTypes, local, sharding->operands); !status)
    return tl::unexpected(status.error());
  if (auto status = read(*out, resultTypes, returned, sharding->results); !status)
    return tl::unexpected(status.error());
  if (!mesh) return malformed(operation, "it has neither operands nor results");
  sharding->mesh = mesh->mesh;

  auto parallel = std::make_shared<ParallelPlan>();
  parallel->grid.partitions = static_cast<int64_t>(mesh->mesh.devices.size());
  const auto shared = std::make_shared<const FramePlan>(std::move(body));
  parallel->programs.assign(mesh->mesh.devices.size(), shared);
  parallel->sharding = std::move(sharding);
  return std::shared_ptr<const ParallelPlan>(std::move(parallel));
}

}  // namespace vintage

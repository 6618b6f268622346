#include "harness/engine/sharding_attributes.h"

#include <algorithm>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/process_grid.h"

namespace vintage::harness {
using namespace golden;

namespace {

// None where `read` says more than placements can hold.
template <typename T>
Result<std::optional<T>> unlessUnsupported(Result<T> read) {
  if (read) return std::move(*read);
  if (read.error().kind == Error::Kind::kUnsupported) return std::nullopt;
  return tl::unexpected(read.error());
}

}  // namespace

Result<NamedMesh> meshOf(const AttributeMap& fields, std::string name) {
  const auto* axes = attributeField<AttributeList>(fields, "axes");
  if (axes == nullptr) return badInput("{} has no axes", name);
  NamedMesh found;
  found.name = std::move(name);
  int64_t count = 1;
  for (const Attribute& axis : *axes) {
    const auto* map = std::get_if<AttributeMap>(&axis.value);
    const auto* axisName = map ? attributeField<std::string>(*map, "name") : nullptr;
    const auto* size = map ? attributeField<int64_t>(*map, "size") : nullptr;
    if (axisName == nullptr || size == nullptr || *size < 1 || *size > kMostProcesses)
      return badInput("the axes of {} are not names with sizes from 1 to {}", found.name,
                      kMostProcesses);
    found.axes.push_back(*axisName);
    found.mesh.sizes.push_back(*size);
    count *= *size;
    if (count > kMostProcesses)
      return unsupported("{} has more than {} devices", found.name, kMostProcesses);
  }
  found.mesh.devices.resize(static_cast<size_t>(count));
  std::iota(found.mesh.devices.begin(), found.mesh.devices.end(), 0);
  CheckedAttributes read(fields, found.name);
  const auto ids = read.flattenedIntegers("device_ids", std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  if (ids.empty()) return found;
  if (!isPermutation(ids, count))
    return badInput("the device_ids of {} are not the numbers below {}, once each", found.name,
                    count);
  found.mesh.devices = ids;
  return found;
}

const AttributeMap* findMesh(const ModuleTree& module, std::string_view name) {
  for (const Operation& other : module.others) {
    const auto* symbol = attributeField<std::string>(other.attributes, "sym_name");
    if (other.name == "sdy.mesh" && symbol && *symbol == name)
      return attributeField<AttributeMap>(other.attributes, "mesh");
  }
  return nullptr;
}

Result<NamedMesh> readMesh(const ModuleTree& module, const std::string& name) {
  const AttributeMap* fields = findMesh(module, name);
  if (fields == nullptr) return badInput("the module has no mesh @{}", name);
  return meshOf(*fields, "mesh @" + name);
}

std::optional<std::vector<std::string>> manualAxesOf(const Operation& operation) {
  const auto* fields = attributeField<AttributeMap>(operation.attributes, "manual_axes");
  const auto* axes = fields ? attributeField<AttributeList>(*fields, "axes") : nullptr;
  if (axes == nullptr) return std::nullopt;
  std::vector<std::string> names;
  for (const Attribute& each : *axes)
    if (const auto* name = std::get_if<std::string>(&each.value)) names.push_back(*name);
  return names;
}

Result<DevicePlacement> readSharding(const AttributeMap& fields, const NamedMesh& mesh,
                                     const std::vector<std::string>* manual) {
  DevicePlacement placement{mesh.mesh, {}, {}};
  const AttributeList* dimensions = attributeField<AttributeList>(fields, "dimensions");
  if (dimensions == nullptr) return badInput("a sharding has no dimensions");
  std::vector<bool> taken(mesh.axes.size());
  const auto take = [&](const AttributeList& axes, std::vector<size_t>& places) -> Status {
    for (const Attribute& axis : axes) {
      const auto* reference = std::get_if<AttributeMap>(&axis.value);
      const auto* name = reference ? attributeField<std::string>(*reference, "name") : nullptr;
      if (name == nullptr) return badInput("an axis has no name");
      if (reference->contains("sub_axis_info"))
        return unsupported(
            "a part of axis \"{}\" splits a value; the embedded engine splits by whole axes",
            *name);
      const auto found = std::ranges::find(mesh.axes, *name);
      if (found == mesh.axes.end()) return badInput("{} has no axis \"{}\"", mesh.name, *name);
      if (manual && std::ranges::find(*manual, *name) == manual->end()) continue;
      const auto place = static_cast<size_t>(found - mesh.axes.begin());
      if (taken[place]) return badInput("axis \"{}\" splits a value twice", *name);
      taken[place] = true;
      places.push_back(place);
    }
    return {};
  };
  for (const Attribute& dimension : *dimensions) {
    const auto* map = std::get_if<AttributeMap>(&dimension.value);
    const auto* axes = map ? attributeField<AttributeList>(*map, "axes") : nullptr;
    if (axes == nullptr) return badInput("a dimension's sharding has no axes");
    RETURN_IF_ERROR(take(*axes, placement.axes.emplace_back()));
  }
  if (const auto* axes = attributeField<AttributeList>(fields, "unreduced_axes")) {
    RETURN_IF_ERROR(take(*axes, placement.summed));
    if (const auto* combined = attributeField<int64_t>(fields, "reduction_op");
        combined != nullptr && *combined != 0 && !placement.summed.empty())
      return unsupported("devices hold parts of a maximum or minimum; sums are understood");
  }
  return placement;
}

Result<std::optional<DevicePlacement>> annotatedPlacement(const AttributeMap& attributes,
                                                          const ModuleTree& module, int64_t devices,
                                                          size_t rank) {
  if (const auto* fields = attributeField<AttributeMap>(attributes, "sdy.sharding")) {
    const auto* name = attributeField<std::string>(*fields, "mesh");
    if (!name) return std::nullopt;
    ASSIGN_OR_RETURN(auto mesh, readMesh(module, *name));
    ASSIGN_OR_RETURN(auto placement, unlessUnsupported(readSharding(*fields, mesh)));
    if (!placement || static_cast<int64_t>(placement->devices()) != devices ||
        placement->rank() != rank)
      return std::nullopt;
    return placement;
  }
  if (const auto* text = attributeField<std::string>(attributes, "mhlo.sharding")) {
    ASSIGN_OR_RETURN(auto sharding, parseHloSharding(*text));
    return unlessUnsupported(placementOf(sharding, devices, rank));
  }
  return std::nullopt;
}

void fillOpenDimensions(const AttributeMap& attributes, const DevicePlacement& lying,
                        DevicePlacement& annotated) {
  const auto* fields = attributeField<AttributeMap>(attributes, "sdy.sharding");
  const auto* dimensions = fields ? attributeField<AttributeList>(*fields, "dimensions") : nullptr;
  if (dimensions == nullptr) return;
  Shape origin(annotated.rank(), -1);
  for (size_t d = 0; d < std::min(origin.size(), dimensions->size()); ++d) {
    const auto* dimension = std::get_if<AttributeMap>(&(*dimensions)[d].value);
    const auto* closed = dimension ? attributeField<bool>(*dimension, "is_closed") : nullptr;
    if (closed != nullptr && !*closed) origin[d] = static_cast<int64_t>(d);
  }
  splitAlso(lying, origin, annotated);
}

}  // namespace vintage::harness

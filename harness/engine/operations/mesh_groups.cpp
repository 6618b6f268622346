#include "harness/engine/operations/collective_groups.h"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kMostDevices = int64_t{1} << 20;

tl::unexpected<Error> wrong(std::string what) {
  return failure(Error::Kind::kBadInput, "replica_groups: " + std::move(what));
}

struct Axis {
  std::string name;
  int64_t size = 1;
  int64_t stride = 1;  // Devices between neighbours along it.
};

// The digit (device / stride) % size of a device's number.
struct Digit {
  int64_t stride = 1, size = 1;
};

Result<std::vector<AttributeMap>> mapsOf(const AttributeMap& attributes, std::string_view name) {
  std::vector<AttributeMap> maps;
  const auto found = attributes.find(name);
  const auto* list =
      found == attributes.end() ? nullptr : std::get_if<AttributeList>(&found->second.value);
  if (list == nullptr) return wrong(fmt::format("'{}' is not a list of axes", name));
  for (const Attribute& each : *list) {
    const auto* map = std::get_if<AttributeMap>(&each.value);
    if (map == nullptr) return wrong(fmt::format("'{}' is not a list of axes", name));
    maps.push_back(*map);
  }
  return maps;
}

Result<std::vector<Axis>> axesOf(const AttributeMap& mesh, int64_t& devices) {
  ASSIGN_OR_RETURN(auto maps, mapsOf(mesh, "axes"));
  std::vector<Axis> axes;
  devices = 1;
  for (const AttributeMap& map : maps) {
    CheckedAttributes read(map, "a mesh's axis");
    axes.push_back({read.text("name"), read.integer("size"), 1});
    RETURN_IF_ERROR(read.status());
    const int64_t size = axes.back().size;
    if (size < 1 || size > kMostDevices / devices)
      return wrong(fmt::format("axis \"{}\" has the size {}; a mesh has at most {} devices",
                               axes.back().name, size, kMostDevices));
    devices *= size;
  }
  int64_t stride = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    axis->stride = stride;
    stride *= axis->size;
  }
  return axes;
}

Result<Digit> digitOf(const AttributeMap& reference, const std::vector<Axis>& axes) {
  CheckedAttributes read(reference, "an axis of replica_groups");
  const std::string name = read.text("name");
  const bool part = read.has("sub_axis_info");
  const AttributeMap info = read.dictionary("sub_axis_info", AttributeMap{});
  CheckedAttributes readPart(info, "sub_axis_info");
  const int64_t before = part ? readPart.integer("pre_size") : 1;
  const int64_t size = part ? readPart.integer("size") : 1;
  RETURN_IF_ERROR(read.status());
  RETURN_IF_ERROR(readPart.status());
  const auto axis = std::ranges::find(axes, name, &Axis::name);
  if (axis == axes.end()) return wrong(fmt::format("the mesh has no axis \"{}\"", name));
  if (!part) return Digit{axis->stride, axis->size};
  if (before < 1 || size < 1 || before > axis->size || size > axis->size / before ||
      axis->size % (before * size) != 0)
    return wrong(fmt::format("({}){} does not divide the axis \"{}\" of size {}", before, size,
                             name, axis->size));
  return Digit{axis->stride * (axis->size / (before * size)), size};
}

Result<std::vector<int64_t>> deviceIds(const AttributeMap& mesh, int64_t devices) {
  std::vector<int64_t> ids(static_cast<size_t>(devices));
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int64_t>(i);
  CheckedAttributes read(mesh, "a mesh");
  const auto given = read.flattenedIntegers("device_ids", std::vector<int64_t>{});
  RETURN_IF_ERROR(read.status());
  if (given.empty()) return ids;
  std::vector<int64_t> sorted = given;
  std::ranges::sort(sorted);
  if (sorted != ids)
    return wrong(fmt::format("device_ids must hold the numbers 0 to {} once each", devices - 1));
  return given;
}

}  // namespace

Result<std::vector<std::vector<int64_t>>> meshGroups(const AttributeMap& attribute) {
  const auto found = attribute.find("mesh");
  if (found != attribute.end())
    if (const auto* name = std::get_if<std::string>(&found->second.value))
      return wrong(fmt::format("the module has no mesh @{}", *name));
  const auto* mesh =
      found == attribute.end() ? nullptr : std::get_if<AttributeMap>(&found->second.value);
  if (mesh == nullptr) return wrong("it names no mesh");
  int64_t devices = 1;
  ASSIGN_OR_RETURN(auto axes, axesOf(*mesh, devices));
  ASSIGN_OR_RETURN(auto references, mapsOf(attribute, "axes"));
  std::vector<Digit> digits;
  int64_t members = 1;
  for (const AttributeMap& reference : references) {
    ASSIGN_OR_RETURN(auto digit, digitOf(reference, axes));
    digits.push_back(digit);
    if (members > devices / digit.size) return wrong("its axes overlap");
    members *= digit.size;
  }
  ASSIGN_OR_RETURN(auto ids, deviceIds(*mesh, devices));
  // A group by its device whose digits are all 0.
  std::map<int64_t, size_t> numbers;
  std::vector<std::vector<int64_t>> groups;
  for (int64_t device = 0; device < devices; ++device) {
    int64_t rest = device, position = 0;
    for (const Digit& digit : digits) {
      const int64_t value = device / digit.stride % digit.size;
      rest -= value * digit.stride;
      position = position * digit.size + value;
    }
    const auto [entry, isNew] = numbers.try_emplace(rest, groups.size());
    if (isNew) groups.emplace_back(static_cast<size_t>(members), -1);
    int64_t& member = groups[entry->second][static_cast<size_t>(position)];
    if (member != -1) return wrong("its axes overlap");
    member = ids[static_cast<size_t>(device)];
  }
  if (static_cast<int64_t>(groups.size()) * members != devices) return wrong("its axes overlap");
  return groups;
}

}  // namespace vintage::harness

#include "harness/runtimes/embedded/callable.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/runtimes/embedded/propagated_placement.h"

namespace vintage::harness {
using namespace golden;

namespace {

Result<DevicePlacement> placedByName(const NamedSharding& named, int64_t devices, size_t rank,
                                     const std::string& place) {
  DevicePlacement placement;
  const AbstractMesh& mesh = named.mesh;
  int64_t count = 1;
  for (uint32_t size : mesh.axisSizes) {
    placement.mesh.sizes.push_back(size);
    if (size == 0 || (count *= size) > devices) count = devices + 1;
  }
  if (count != devices)
    return badInput(
        "the sharding of {} is over a mesh of axes {}, and the artifact was exported for {} "
        "devices",
        place, fmt::join(mesh.axisSizes, " x "), devices);
  placement.mesh.devices.resize(static_cast<size_t>(devices));
  std::iota(placement.mesh.devices.begin(), placement.mesh.devices.end(), 0);
  if (!named.spec.unreduced.empty())
    return unsupported(
        "{} is recorded as a sum that is still to be taken along {}; the embedded engine takes and "
        "gives whole values",
        place, fmt::join(named.spec.unreduced, ", "));
  if (named.spec.partitions.size() > rank)
    return badInput("the sharding of {} has {} dimensions, and the value has {}", place,
                    named.spec.partitions.size(), rank);
  placement.axes.resize(rank);
  std::vector<bool> taken(mesh.axisSizes.size());
  for (size_t d = 0; d < named.spec.partitions.size(); ++d) {
    for (const std::string& axis : named.spec.partitions[d].value_or(std::vector<std::string>())) {
      const auto at =
          static_cast<size_t>(std::ranges::find(mesh.axisNames, axis) - mesh.axisNames.begin());
      if (at == mesh.axisNames.size())
        return badInput("the sharding of {} names axis \"{}\"; its mesh has {}", place, axis,
                        fmt::join(mesh.axisNames, ", "));
      if (taken[at])
        return badInput("the sharding of {} splits it along axis \"{}\" twice", place, axis);
      taken[at] = true;
      placement.axes[d].push_back(at);
    }
  }
  return placement;
}

// Where a recorded sharding puts the pieces of a value of this rank. Unspecified:
// a copy on each device. `place` ("input 0") stands in messages.
Result<DevicePlacement> recordedPlacement(const Sharding& sharding, int64_t devices, size_t rank,
                                          const std::string& place) {
  switch (sharding.kind) {
    case Sharding::Kind::kUnspecified:
      return copiesOn(devices, rank);
    case Sharding::Kind::kNamedSharding:
      if (!sharding.named) return badInput("the sharding of {} is missing", place);
      return placedByName(*sharding.named, devices, rank, place);
    case Sharding::Kind::kHloSharding: {
      const std::string what = "the sharding of " + place;
      ASSIGN_OR_RETURN(const auto read, within(what, readHloSharding(sharding.hloShardingProto)));
      return within(what, placementOf(read, devices, rank));
    }
  }
  return copiesOn(devices, rank);
}

// One value: where it is recorded, where the module has it, and its shape.
struct PlacedValue {
  const Sharding& sharding;
  const AttributeMap* annotation;
  const ValueType& type;
  std::string place, inModule;  // "input 0", "argument 0 of main".
};

Result<DevicePlacement> placementOf(const PlacedValue& value, const ModuleTree& module,
                                    int64_t devices) {
  const size_t rank = value.type.shape.size();
  std::optional<DevicePlacement> annotated;
  if (value.annotation) {
    ASSIGN_OR_RETURN(annotated, within(value.inModule, annotatedPlacement(*value.annotation, module,
                                                                          devices, rank)));
  }
  // The module may say what the record leaves open.
  if (value.sharding.kind == Sharding::Kind::kUnspecified && annotated) return *annotated;
  ASSIGN_OR_RETURN(auto recorded, recordedPlacement(value.sharding, devices, rank, value.place));
  Shape known = value.type.shape;
  for (size_t d = 0; d < rank; ++d)
    if (known[d] == kDynamicDimension) known[d] = 0;
  if (auto local = recorded.localShape(known); !local)
    return badInput("{}: {}, as its sharding says", value.place, local.error().message);
  if (annotated && !samePlacement(recorded, *annotated))
    return badInput(
        "{} is recorded as {}, and its module has {} as {}: a caller would put its pieces where "
        "the program does not look for them. Export it again, or correct the one that is wrong",
        value.place, describe(recorded), value.inModule, describe(*annotated));
  return recorded;
}

const AttributeMap* attributesAt(const std::vector<AttributeMap>& all, size_t i) {
  return i < all.size() ? &all[i] : nullptr;
}

}  // namespace

Result<Placements> placementsOf(const Callable& callable, const ModuleTree& module,
                                const Function& main) {
  ASSIGN_OR_RETURN(auto signature, matchMain(callable.metadata, main));
  const auto devices = static_cast<int64_t>(callable.deviceCount);
  if (devices > kMostProcesses)
    return unsupported("it was exported for {} devices; the embedded engine has up to {}", devices,
                       kMostProcesses);
  Placements placements;
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const MainArgument& argument = signature.arguments[i];
    if (argument.kind == MainArgument::Kind::kToken) continue;
    if (argument.kind != MainArgument::Kind::kInput) {
      placements.inputs.push_back(copiesOn(devices, main.argumentTypes[i].shape.size()));
      continue;
    }
    ASSIGN_OR_RETURN(placements.inputs.emplace_back(),
                     placementOf({callable.inputShardings[argument.index],
                                  attributesAt(main.argumentAttributes, i), main.argumentTypes[i],
                                  fmt::format("input {}", argument.index),
                                  fmt::format("argument {} of main", i)},
                                 module, devices));
  }
  for (size_t i = 0; i < callable.outputShardings.size(); ++i) {
    const size_t at = signature.tokenResults + i;
    ASSIGN_OR_RETURN(
        placements.outputs.emplace_back(),
        placementOf({callable.outputShardings[i], attributesAt(main.resultAttributes, at),
                     main.resultTypes[at], fmt::format("output {}", i),
                     fmt::format("result {} of main", at)},
                    module, devices));
  }
  return placements;
}

Result<Placements> annotatedPlacements(const ModuleTree& module, const Function& main,
                                       int64_t devices, const PlacementObserver& observer) {
  const auto annotations = [&](const std::vector<ValueType>& types,
                               const std::vector<AttributeMap>& attributes,
                               std::string_view what) -> Result<std::vector<OpenPlacement>> {
    std::vector<OpenPlacement> annotated(types.size());
    for (size_t i = 0; i < types.size() && i < attributes.size(); ++i) {
      ASSIGN_OR_RETURN(annotated[i], within(fmt::format("{} {} of main", what, i),
                                            annotatedPlacement(attributes[i], module, devices,
                                                               types[i].shape.size())));
    }
    return annotated;
  };
  const auto orCopies = [&](const std::vector<ValueType>& types, std::vector<OpenPlacement> open) {
    std::vector<DevicePlacement> placements;
    for (size_t i = 0; i < types.size(); ++i)
      if (types[i].kind != ValueType::Kind::kToken)
        placements.push_back(open[i] ? std::move(*open[i])
                                     : copiesOn(devices, types[i].shape.size()));
    return placements;
  };
  ASSIGN_OR_RETURN(auto inputs,
                   annotations(main.argumentTypes, main.argumentAttributes, "argument"));
  ASSIGN_OR_RETURN(auto outputs, annotations(main.resultTypes, main.resultAttributes, "result"));
  auto propagated = propagatedPlacements(module, main, inputs, devices, observer);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i])
      outputs[i] = std::move(propagated[i]);
    else if (propagated[i])
      fillOpenDimensions(main.resultAttributes[i], *propagated[i], *outputs[i]);
  return Placements{.inputs = orCopies(main.argumentTypes, std::move(inputs)),
                    .outputs = orCopies(main.resultTypes, std::move(outputs))};
}

}  // namespace vintage::harness

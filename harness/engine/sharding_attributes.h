// Meshes and shardings from a module's attributes: of sdy.mesh, of sdy.manual_computation, and of
// arguments and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/device_placement.h"

namespace vintage::harness {

struct NamedMesh {
  std::string name;  // "mesh @mesh"
  std::vector<std::string> axes;
  DeviceMesh mesh;
};

// The fields of an sdy.mesh or #stablehlo.mesh. kUnsupported where it has more devices than
// there are processes in a run.
Result<NamedMesh> meshOf(const golden::AttributeMap& fields, std::string name);
// The fields of the sdy.mesh of this name; null where the module has none.
const golden::AttributeMap* findMesh(const golden::ModuleTree& module, std::string_view name);
Result<NamedMesh> readMesh(const golden::ModuleTree& module, const std::string& name);

// The names of the axes along which the region of an sdy.manual_computation sees one device; none
// where the operation lacks the list.
std::optional<std::vector<std::string>> manualAxesOf(const golden::Operation& operation);

// Reads the fields of an #sdy.sharding. Axes that are not among `manual` (null: all
// are) do not split the value.
Result<DevicePlacement> readSharding(const golden::AttributeMap& fields, const NamedMesh& mesh,
                                     const std::vector<std::string>* manual = nullptr);

// XLA's own form of a sharding: the OpSharding message that an Exported holds
// before serialization version 9, and the text in a module's mhlo.sharding.
struct HloSharding {
  enum class Kind { kReplicated, kMaximal, kTuple, kTiled, kManual, kUnknown };
  Kind kind = Kind::kReplicated;
  // kTiled: how many tiles along each dimension, row-major over `devices`; of
  // kMaximal the one device.
  std::vector<int64_t> tiles;
  std::vector<int64_t> devices;
  // Trailing dimensions of `tiles` along which there are copies.
  size_t copiedDimensions = 0;
};

// kBadInput names the byte where the message ends too early.
Result<HloSharding> readHloSharding(std::span<const std::byte> message);
// "{devices=[2,1]<=[2]}", "{replicated}", "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}".
Result<HloSharding> parseHloSharding(std::string_view text);

// kUnsupported for what is not one piece on each device: maximal, manual, tuples.
Result<DevicePlacement> placementOf(const HloSharding& sharding, int64_t devices, size_t rank);

// The annotation among the attributes of an argument or a result of this rank, of Shardy or of XLA.
// None where it is left open, or where a placement cannot express it.
Result<std::optional<DevicePlacement>> annotatedPlacement(const golden::AttributeMap& attributes,
                                                          const golden::ModuleTree& module,
                                                          int64_t devices, size_t rank);

// Splits the dimensions that an annotation leaves open (Shardy's {?}) as `lying` has them; the
// annotation is `annotated` already.
void fillOpenDimensions(const golden::AttributeMap& attributes, const DevicePlacement& lying,
                        DevicePlacement& annotated);

}  // namespace vintage::harness

// Meshes and shardings as a module's attributes tell them: of sdy.mesh, of
// sdy.manual_computation, and of what stands beside arguments and results.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/device_placement.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// Null where there is none of this kind.
template <typename Kind>
const Kind* attributeField(const AttributeMap& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : std::get_if<Kind>(&found->second.value);
}

struct NamedMesh {
  std::string name;
  std::vector<std::string> axes;
  DeviceMesh mesh;
};

// The sdy.mesh of this name. kUnsupported where it has more devices than there
// are processes in a run.
Result<NamedMesh> readMesh(const ModuleTree& module, const std::string& name);

// Reads the fields of an #sdy.sharding. Axes that are not among `manual` (null: all
// are) do not split the value.
Result<ValueSharding> readSharding(const AttributeMap& fields, const NamedMesh& mesh,
                                   const std::vector<std::string>* manual = nullptr);

}  // namespace vintage::harness::engine

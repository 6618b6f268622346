#include "harness/consumers/pjrt/topology.h"

#include "golden/base/failures.h"
#include "harness/consumers/pjrt/client.h"
#include "harness/consumers/pjrt/description.h"

namespace vintage::harness::consumers::pjrt {

Result<Topology> Topology::create(const Plugin& plugin, const std::string& name,
                                  const std::vector<PluginOption>& options) {
  const std::vector<NamedValue> values = namedValues(options);
  TopologyDescriptionCreate create;
  create.name = name.data();
  create.nameSize = name.size();
  create.options = values.data();
  create.optionCount = values.size();
  if (Status status = plugin.call(create); !status)
    return ioError("the plugin has no topology '{}': {}", name, status.error().message);
  Topology topology(plugin, OwnedTopology(plugin, create.topology));
  RETURN_IF_ERROR(topology.describe());
  return topology;
}

Status Topology::describe() {
  TopologyDescriptionPlatformName name;
  name.topology = topology_.get();
  ASSIGN_OR_RETURN(platform_, nameFrom(plugin_, name));
  TopologyDescriptionPlatformVersion version;
  version.topology = topology_.get();
  ASSIGN_OR_RETURN(version_, nameFrom(plugin_, version));
  TopologyDescriptionGetDeviceDescriptions devices;
  devices.topology = topology_.get();
  RETURN_IF_ERROR(plugin_.call(devices));
  for (size_t i = 0; i < devices.count; ++i) {
    ASSIGN_OR_RETURN(const int id, deviceId(plugin_, devices.descriptions[i]));
    ids_.push_back(id);
  }
  if (ids_.empty()) return ioError("the topology has no device");
  return {};
}

Result<CompiledSize> Topology::compile(std::span<const std::byte> module, size_t devices,
                                       bool shardy) const {
  if (devices > ids_.size())
    return unsupported("it was exported for {} devices; the topology has {}", devices,
                       ids_.size());
  const std::string options = optionsFor(ids_, devices, shardy);
  const PluginProgram program = programOf(module);
  Compile compile;
  compile.topology = topology_.get();
  compile.program = &program;
  compile.options = options.data();
  compile.optionsSize = options.size();
  RETURN_IF_ERROR(plugin_.call(compile));
  const OwnedExecutable executable(plugin_, compile.executable);
  ExecutableGetCompiledMemoryStats stats;
  stats.executable = executable.get();
  CompiledSize size;
  if (plugin_.call(stats)) size = {stats.code, stats.arguments, stats.outputs, stats.temporaries};
  return size;
}

}  // namespace vintage::harness::consumers::pjrt

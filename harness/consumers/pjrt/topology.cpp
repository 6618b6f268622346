#include "harness/consumers/pjrt/topology.h"

#include "golden/base/failures.h"
#include "harness/consumers/pjrt/client.h"
#include "harness/consumers/pjrt/compile_options.h"

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
  RETURN_IF_ERROR(plugin_.call(name));
  platform_.assign(name.name, name.nameSize);
  TopologyDescriptionPlatformVersion version;
  version.topology = topology_.get();
  RETURN_IF_ERROR(plugin_.call(version));
  version_.assign(version.name, version.nameSize);
  TopologyDescriptionGetDeviceDescriptions devices;
  devices.topology = topology_.get();
  RETURN_IF_ERROR(plugin_.call(devices));
  for (size_t i = 0; i < devices.count; ++i) {
    DeviceDescriptionId id;
    id.description = devices.descriptions[i];
    RETURN_IF_ERROR(plugin_.call(id));
    ids_.push_back(id.id);
  }
  if (ids_.empty()) return ioError("the topology has no device");
  return {};
}

Result<CompiledSize> Topology::compile(std::span<const std::byte> module, size_t devices,
                                       bool shardy) const {
  if (devices > ids_.size())
    return unsupported("it was exported for {} devices; the topology has {}", devices,
                       ids_.size());
  CompileOptions options;
  options.devices.assign(ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(devices));
  options.shardy = shardy;
  const std::string encoded = encodeCompileOptions(options);
  const PluginProgram program = programOf(module);
  Compile compile;
  compile.topology = topology_.get();
  compile.program = &program;
  compile.options = encoded.data();
  compile.optionsSize = encoded.size();
  RETURN_IF_ERROR(plugin_.call(compile));
  const OwnedExecutable executable(plugin_, compile.executable);
  ExecutableGetCompiledMemoryStats stats;
  stats.executable = executable.get();
  CompiledSize size;
  if (plugin_.call(stats)) size = {stats.code, stats.arguments, stats.outputs, stats.temporaries};
  return size;
}

}  // namespace vintage::harness::consumers::pjrt

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
  PluginTopology* topology = topology_.get();
  ASSIGN_OR_RETURN(platform_, plugin_.text<TopologyDescriptionPlatformName>(topology));
  ASSIGN_OR_RETURN(version_, plugin_.text<TopologyDescriptionPlatformVersion>(topology));
  ASSIGN_OR_RETURN(const auto devices,
                   plugin_.call<TopologyDescriptionGetDeviceDescriptions>(topology));
  for (PluginDeviceDescription* device : devices) {
    ASSIGN_OR_RETURN(const int id, plugin_.call<DeviceDescriptionId>(device));
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
  const std::string options = encodeCompileOptions(
      {{ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(devices)}, shardy});
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

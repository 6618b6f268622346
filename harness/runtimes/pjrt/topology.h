// A plugin's compiler for devices that are not here: libtpu and CUDA's plugin compile for a
// topology that is only named.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/measurement.h"
#include "golden/base/result.h"
#include "harness/runtimes/pjrt/plugin.h"

namespace vintage::harness {

class Topology {
 public:
  // `name` as the plugin names topologies ("v5e:2x2"), or empty where `options` say all.
  // kIo: the plugin makes none of it. The plugin outlives it.
  static Result<Topology> create(const Plugin& plugin, const std::string& name,
                                 const std::vector<PluginOption>& options);

  const std::string& platform() const { return platform_; }  // "tpu"
  const std::string& platformVersion() const { return version_; }

  // A portable artifact for the first `devices` devices. None: the compiler does not report it.
  Result<std::optional<archive::CompilerMemory>> compile(std::span<const std::byte> module,
                                                         size_t devices, bool shardy) const;

 private:
  Topology(const Plugin& plugin, OwnedTopology topology)
      : plugin_(plugin), topology_(std::move(topology)) {}

  const Plugin& plugin_;
  OwnedTopology topology_;
  std::string platform_, version_;
  std::vector<int> ids_;
};

// libtpu's name for the machine that has the topology: "v5e:2x2" is a "v5litepod-4".
// nullopt for other topologies than libtpu's known ones.
std::optional<std::string> acceleratorType(std::string_view topology);

// Sets what libtpu reads from the environment, where it is not set: without it libtpu asks
// the network which TPU this machine has, gives up after minutes, and serves one process only.
// Before threads start.
void setTpuEnvironment(std::string_view topology);

// XLA's GpuTargetConfigProto as text, for a GPU that need not be here: of a known one ("a100",
// "h100"), or else the text of a file. kUsage names the known ones.
Result<std::string> gpuTarget(const std::string& nameOrFile);

}  // namespace vintage::harness

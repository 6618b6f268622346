// A plugin's compiler for devices that are not here: libtpu and CUDA's plugin compile for a
// topology that is only named.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/consumers/pjrt/owned.h"
#include "harness/consumers/pjrt/plugin.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

// What a compiler says of a program that it compiled; -1: it does not say.
struct CompiledSize {
  int64_t code = -1, arguments = -1, outputs = -1, temporaries = -1;  // Bytes.
};

class Topology {
 public:
  // `name` as the plugin names topologies ("v5e:2x2"), or empty where `options` say all.
  // kIo: the plugin makes none of it. The plugin outlives it.
  static Result<Topology> create(const Plugin& plugin, const std::string& name,
                                 const std::vector<PluginOption>& options);

  const std::string& platform() const { return platform_; }  // "tpu"
  const std::string& platformVersion() const { return version_; }
  size_t deviceCount() const { return ids_.size(); }

  // A portable artifact for the first `devices` devices.
  Result<CompiledSize> compile(std::span<const std::byte> module, size_t devices,
                               bool shardy) const;

 private:
  Topology(const Plugin& plugin, OwnedTopology topology)
      : plugin_(plugin), topology_(std::move(topology)) {}
  Status describe();

  const Plugin& plugin_;
  OwnedTopology topology_;
  std::string platform_, version_;
  std::vector<int> ids_;
};

}  // namespace vintage::harness::consumers::pjrt

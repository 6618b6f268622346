// Devices without a client: what is compiled for, before there is anything to run on.
#pragma once

#include <string>

#include "harness/plugin/devices.h"
#include "harness/plugin/room.h"
#include "harness/plugin/settings.h"

namespace vintage::harness::plugin {

// What the platform says of its version: this engine's, by which clients key what they keep.
const std::string& platformVersion();

struct EngineTopology {
  using Handle = PluginTopology;
  explicit EngineTopology(PluginSettings chosen)
      : settings(std::move(chosen)), devices(settings.devices) {}

  PluginSettings settings;
  DeviceSet devices;
};

void answerTopologies(Api& api);

}  // namespace vintage::harness::plugin

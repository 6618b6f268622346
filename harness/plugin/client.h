// A client: its devices, and what its programs are read with; and a topology, devices without one.
#pragma once

#include <memory>
#include <string>

#include "harness/plugin/devices.h"
#include "harness/plugin/program_reader.h"
#include "harness/plugin/recorder.h"
#include "harness/plugin/room.h"
#include "harness/plugin/settings.h"

namespace vintage::harness::plugin {

// What the platform says of its version: this engine's, by which clients key what they keep.
const std::string& platformVersion();

// Devices without a client: what is compiled for, before there is anything to run on.
struct EngineTopology {
  using Handle = PluginTopology;
  explicit EngineTopology(PluginSettings chosen)
      : settings(std::move(chosen)), devices(settings.devices) {}

  PluginSettings settings;
  DeviceSet devices;
};

// Shared with its buffers and executables, some of which a client destroys later than itself.
struct EngineClient : std::enable_shared_from_this<EngineClient> {
  using Handle = PluginClient;
  EngineClient(PluginSettings settings, std::unique_ptr<Recorder> recorder)
      : topology(std::move(settings)), recorder(std::move(recorder)) {}

  EngineTopology topology;
  ProgramReader reader;
  std::unique_ptr<Recorder> recorder;    // Null: nothing is recorded.
  std::shared_ptr<EngineClient> itself;  // Until it is destroyed.

  DeviceSet& devices() { return topology.devices; }
};

// The device that a caller names by itself or by its memory; the first one where it names none.
EngineDevice& chosenDevice(EngineClient& client, PluginDevice* device, PluginMemory* memory);

void answerClients(Api& api);
void answerTopologies(Api& api);

}  // namespace vintage::harness::plugin

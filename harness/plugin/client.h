// A client: the settings of its user, its devices, its reader and its recorder of programs. And a
// topology: devices without a client.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "harness/engine/engine.h"
#include "harness/plugin/compiled_program.h"
#include "harness/plugin/devices.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// The user's settings of the plugin: from environment variables, and from options of a client,
// which take precedence. docs/howto/pjrt_plugin.md lists them.
struct PluginSettings {
  std::string platform = "vintage";  // Or "cpu": JAX then lowers by the rules for CPUs.
  int devices = 1;
  ExecutionMode mode = ExecutionMode::kGraph;
  size_t memoryLimitBytes = RunOptions{}.memoryLimitBytes;  // Of the live values of one run.
  std::string recordFolder;                                 // Empty: nothing is recorded.
  // The producer of recorded programs, and its build date.
  std::string producer = "a PJRT client";
  std::optional<Date> producerDate;
};

// kUsage names the variable or option, its value and the accepted values.
Result<PluginSettings> pluginSettings(std::span<const NamedValue> options);

// VINTAGE_PLUGIN_STABLEHLO: the version that clients are asked to write. By default the newest
// known one.
Result<StablehloVersion> requestedStablehloVersion();

// Keeps each program that a client runs in an archive, with the inputs and outputs of its first
// run: VINTAGE_PLUGIN_RECORD=DIR.
class Recorder {
 public:
  // Opens or makes the archive of `settings.recordFolder`.
  static Result<std::unique_ptr<Recorder>> open(const PluginSettings& settings);

  // The values of each device. If a program cannot be recorded, prints the reason once on standard
  // error; the program still runs.
  void record(const CompiledProgram& program, const TensorRows& inputs, const TensorRows& outputs);

 private:
  Recorder(archive::Archive archive, const PluginSettings& settings);
  Status keep(const CompiledProgram& program, const TensorRows& inputs, const TensorRows& outputs);

  std::mutex mutex_;
  archive::Archive archive_;
  std::string producer_;
  Date date_;
  std::set<std::string> seen_;  // Fingerprints.
};

// The platform's version: this engine's version, which clients use as a cache key.
const std::string& platformVersion();

// Devices without a client: a target for compilation before there is a device to run on.
struct EngineTopology {
  using Handle = PluginTopology;
  explicit EngineTopology(PluginSettings chosen)
      : settings(std::move(chosen)), devices(settings.devices, settings.platform) {}

  PluginSettings settings;
  DeviceSet devices;
};

// Shared with its buffers and executables; a client may destroy some of them after this.
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

// The memory that a caller names, or the default one of its device; of the first device where it
// names neither.
EngineMemory& chosenMemory(EngineClient& client, PluginDevice* device, PluginMemory* memory);

// Functions of clients and topologies.
void answerClients(Api& api);

}  // namespace vintage::harness

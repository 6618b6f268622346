// What a user chooses of the plugin: by environment variables, and by options of a client, which
// come first. docs/pjrt_plugin.md lists them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "golden/base/stablehlo_version.h"
#include "harness/consumers/pjrt/c_api.h"
#include "harness/engine/engine.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

struct PluginSettings {
  std::string platform = "vintage";  // Or "cpu", whose rules JAX then lowers by.
  int devices = 1;
  ExecutionMode mode = ExecutionMode::kGraph;
  size_t memoryLimitBytes = RunOptions{}.memoryLimitBytes;  // Of the live values of one run.
  std::string recordFolder;                                 // Empty: nothing is recorded.
  // Who writes the programs that are recorded, and when that was built.
  std::string producer = "a PJRT client";
  std::optional<Date> producerDate;
};

// kUsage names the variable or option, what it says and what it may say.
Result<PluginSettings> pluginSettings(std::span<const NamedValue> options);

// VINTAGE_PLUGIN_STABLEHLO: the version that clients are asked to write. The newest known one
// where it is not set.
Result<StablehloVersion> requestedStablehloVersion();

}  // namespace vintage::harness::plugin

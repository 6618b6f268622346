// The objects that a client holds for a compiled program.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "harness/plugin/client.h"
#include "harness/plugin/compiled_program.h"
#include "harness/plugin/extensions.h"
#include "harness/runtimes/pjrt/c_api_arguments.h"

namespace vintage::harness {

// One layout for each value, and the view of them that a client gets.
struct LayoutList {
  std::deque<ArrayLayout> layouts;
  std::vector<ArrayLayout*> handles;
  void add(const DimensionOrder& order) { handles.push_back(&layouts.emplace_back(order)); }
};

// A message OpSharding for each value, and the view of them that a client gets.
struct ShardingList {
  std::deque<std::string> messages;
  std::vector<const char*> handles;
  std::vector<size_t> sizes;
  // Tokens, which have no placement, are said to be everywhere.
  void add(std::span<const golden::ValueType> types, std::span<const DevicePlacement> placements);
};

// PJRT_Executable: the program by itself. Pointers that its functions return live as long as it
// does.
struct EngineExecutable {
  using Handle = PluginExecutable;
  explicit EngineExecutable(std::shared_ptr<const CompiledProgram> compiled);

  std::shared_ptr<const CompiledProgram> program;
  std::vector<int> outputTypes;
  std::vector<int64_t> outputDimensions;
  std::vector<size_t> outputRanks;
  std::vector<const char*> memoryKinds;
  std::vector<size_t> memoryKindSizes;
  LayoutList parameterLayouts, outputLayouts;
  ShardingList parameterShardings, outputShardings;  // Over several partitions.
  std::vector<NamedValue> costs;
  std::mutex textMutex;
  std::string text;  // The program as text, made on first request.
};

// PJRT_LoadedExecutable: the program on devices of a client.
struct LoadedProgramOnDevices {
  using Handle = PluginLoadedExecutable;
  std::shared_ptr<EngineClient> client;
  std::shared_ptr<const CompiledProgram> program;
  std::vector<PluginDevice*> devices;  // By the number of the process.
  std::atomic<bool> deleted = false;
};

// Runs the program on the buffers of the call.
Status execute(LoadedProgramOnDevices& loaded, LoadedExecutableExecute& call);

void answerExecutables(Api& api);

}  // namespace vintage::harness

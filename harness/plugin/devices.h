// Logical devices of the engine, each with its memories, and their descriptions.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// The kinds of memory that JAX's CPU backend has; here too all of them are the machine's. The
// first is the default.
inline constexpr std::string_view kMemoryKinds[] = {"device", "pinned_host", "unpinned_host"};

struct DescribedDevice {
  using Handle = PluginDeviceDescription;
  int id = 0;
  std::string kind;             // The platform.
  std::string debugText, text;  // As JAX names its own: "cpu:0", "CpuDevice(id=0)".
};

struct EngineDevice;

struct EngineMemory {
  using Handle = PluginMemory;
  int id = 0;
  std::string_view kind;
  std::string text;
  EngineDevice* device = nullptr;
  std::vector<PluginDevice*> devices;
};

// Memory statistics of the buffers on a device; updated by several threads.
struct MemoryUse {
  std::atomic<int64_t> inUse = 0, peak = 0, allocations = 0, largest = 0;

  void add(size_t bytes);
  void remove(size_t bytes) { inUse -= static_cast<int64_t>(bytes); }
};

struct EngineDevice {
  using Handle = PluginDevice;
  DescribedDevice description;
  std::array<EngineMemory, std::size(kMemoryKinds)> ownMemories;  // By kind.
  std::vector<PluginMemory*> memories;
  MemoryUse use;
};

// A set of devices. They keep their places, since clients hold them by their addresses.
struct DeviceSet {
  DeviceSet(int count, std::string_view platform);
  EngineDevice* find(int id);  // Null where there is none.

  std::deque<EngineDevice> devices;
  std::vector<PluginDevice*> handles;
  std::vector<PluginMemory*> memories;
  std::vector<PluginDeviceDescription*> descriptions;
};

void answerDevices(Api& api);

}  // namespace vintage::harness

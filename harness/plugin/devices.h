// Logical devices of the engine, each with one memory, and their descriptions.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "harness/plugin/handles.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

inline constexpr std::string_view kMemoryKind = "device";

struct DescribedDevice {
  using Handle = PluginDeviceDescription;
  int id = 0;
  std::string debugText, text;
};

struct EngineDevice;

struct EngineMemory {
  using Handle = PluginMemory;
  int id = 0;
  std::string text;
  EngineDevice* device = nullptr;
  std::vector<PluginDevice*> devices;
};

// What the buffers on a device take, which several threads change.
class MemoryUse {
 public:
  void add(size_t bytes);
  void remove(size_t bytes) { inUse_ -= static_cast<int64_t>(bytes); }

  int64_t inUse() const { return inUse_; }
  int64_t peak() const { return peak_; }
  int64_t allocations() const { return allocations_; }
  int64_t largest() const { return largest_; }

 private:
  std::atomic<int64_t> inUse_ = 0, peak_ = 0, allocations_ = 0, largest_ = 0;
};

struct EngineDevice {
  using Handle = PluginDevice;
  DescribedDevice description;
  EngineMemory memory;
  std::vector<PluginMemory*> memories;
  MemoryUse use;
};

// A set of devices. They keep their places, since clients hold them by their addresses.
class DeviceSet {
 public:
  explicit DeviceSet(int count);

  std::deque<EngineDevice>& devices() { return devices_; }
  const std::vector<PluginDevice*>& handles() const { return handles_; }
  const std::vector<PluginMemory*>& memories() const { return memories_; }
  const std::vector<PluginDeviceDescription*>& descriptions() const { return descriptions_; }
  EngineDevice* find(int id);  // Null where there is none.

 private:
  std::deque<EngineDevice> devices_;
  std::vector<PluginDevice*> handles_;
  std::vector<PluginMemory*> memories_;
  std::vector<PluginDeviceDescription*> descriptions_;
};

void answerDevices(Api& api);

}  // namespace vintage::harness

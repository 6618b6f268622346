#include "harness/plugin/devices.h"

#include <algorithm>
#include <cctype>
#include <span>

#include <unistd.h>

#include "harness/plugin/entry.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {
namespace {

void raiseTo(std::atomic<int64_t>& most, int64_t value) {
  for (int64_t now = most; now < value && !most.compare_exchange_weak(now, value);) {
  }
}

Status tellMemoryStats(EngineDevice& device, DeviceMemoryStats& arguments) {
  arguments.bytesInUse = device.use.inUse;
  arguments.peakBytesInUse = device.use.peak;
  arguments.allocations = device.use.allocations;
  arguments.largestAllocation = device.use.largest;
  arguments.bytesLimit = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  arguments.peakBytesInUseIsSet = arguments.allocationsIsSet = true;
  arguments.largestAllocationIsSet = arguments.bytesLimitIsSet = true;
  arguments.bytesReservedIsSet = arguments.peakBytesReservedIsSet = false;
  arguments.bytesReservableLimitIsSet = arguments.largestFreeBlockIsSet = false;
  arguments.poolBytesIsSet = arguments.peakPoolBytesIsSet = false;
  return {};
}

// A device has none. Clients call the function that destroys them all the same.
Status tellAttributes(EngineDevice&, DeviceGetAttributes& arguments) {
  arguments.attributes = nullptr;
  arguments.count = 0;
  arguments.holder = nullptr;
  arguments.destroy = [](PluginDeviceAttributes*) {};
  return {};
}

}  // namespace

void MemoryUse::add(size_t bytes) {
  const auto added = static_cast<int64_t>(bytes);
  ++allocations;
  raiseTo(largest, added);
  raiseTo(peak, inUse += added);
}

DeviceSet::DeviceSet(int count, std::string_view platform) {
  std::string capitalized(platform);
  capitalized.front() =
      static_cast<char>(std::toupper(static_cast<unsigned char>(capitalized.front())));
  for (int id = 0; id < count; ++id) {
    EngineDevice& device = devices.emplace_back();
    device.description = {id, std::string(platform), fmt::format("{}:{}", platform, id),
                          fmt::format("{}Device(id={})", capitalized, id)};
    for (size_t kind = 0; kind < std::size(kMemoryKinds); ++kind) {
      EngineMemory& memory = device.ownMemories[kind];
      memory.id = static_cast<int>(memories.size());
      memory.kind = kMemoryKinds[kind];
      memory.text = fmt::format("{} memory of {}:{}", memory.kind, platform, id);
      memory.device = &device;
      memory.devices = {handleOf(&device)};
      device.memories.push_back(handleOf(&memory));
      memories.push_back(handleOf(&memory));
    }
    handles.push_back(handleOf(&device));
    descriptions.push_back(handleOf(&device.description));
  }
}

EngineDevice* DeviceSet::find(int id) {
  return id >= 0 && static_cast<size_t>(id) < devices.size() ? &devices[static_cast<size_t>(id)]
                                                             : nullptr;
}

void answerDevices(Api& api) {
  tell<DeviceDescriptionId, &DescribedDevice::id>(api);
  tell<DeviceDescriptionProcessIndex, [](DescribedDevice&) { return 0; }>(api);
  tell<DeviceDescriptionAttributes, [](DescribedDevice&) { return std::span<NamedValue>(); }>(api);
  tell<DeviceDescriptionKind, &DescribedDevice::kind>(api);
  tell<DeviceDescriptionDebugString, &DescribedDevice::debugText>(api);
  tell<DeviceDescriptionToString, &DescribedDevice::text>(api);
  tell<DeviceGetDescription, [](EngineDevice& device) { return handleOf(&device.description); }>(
      api);
  tell<DeviceIsAddressable, [](EngineDevice&) { return true; }>(api);
  tell<DeviceLocalHardwareId, [](EngineDevice& device) { return device.description.id; }>(api);
  tell<DeviceAddressableMemories, &EngineDevice::memories>(api);
  tell<DeviceDefaultMemory, [](EngineDevice& device) { return device.memories.front(); }>(api);
  answer<tellMemoryStats>(api);
  answer<tellAttributes>(api);
  tell<MemoryId, &EngineMemory::id>(api);
  tell<MemoryKind, &EngineMemory::kind>(api);
  tell<MemoryKindId, [](EngineMemory& memory) {
    return static_cast<int>(std::ranges::find(kMemoryKinds, memory.kind) - kMemoryKinds);
  }>(api);
  tell<MemoryDebugString, &EngineMemory::text>(api);
  tell<MemoryToString, &EngineMemory::text>(api);
  tell<MemoryAddressableByDevices, &EngineMemory::devices>(api);
}

}  // namespace vintage::harness

#include "harness/plugin/devices.h"

#include <unistd.h>

#include "harness/consumers/pjrt/c_api_plugin_arguments.h"
#include "harness/plugin/entry.h"

namespace vintage::harness::plugin {
namespace {

constexpr std::string_view kDeviceKind = "vintage";

void raiseTo(std::atomic<int64_t>& most, int64_t value) {
  for (int64_t now = most; now < value && !most.compare_exchange_weak(now, value);) {
  }
}

int64_t bytesOfThisMachine() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

Status tellDescriptionId(DescribedDevice& device, DeviceDescriptionId& arguments) {
  arguments.id = device.id;
  return {};
}

Status tellDescriptionProcess(DescribedDevice&, DeviceDescriptionProcessIndex& arguments) {
  arguments.index = 0;
  return {};
}

Status tellDescriptionAttributes(DescribedDevice&, DeviceDescriptionAttributes& arguments) {
  arguments.count = 0;
  arguments.attributes = nullptr;
  return {};
}

Status tellDescriptionKind(DescribedDevice&, DeviceDescriptionKind& arguments) {
  arguments.kind = kDeviceKind.data();
  arguments.kindSize = kDeviceKind.size();
  return {};
}

Status tellDescriptionDebugText(DescribedDevice& device, DeviceDescriptionDebugString& arguments) {
  arguments.text = device.debugText.data();
  arguments.textSize = device.debugText.size();
  return {};
}

Status tellDescriptionText(DescribedDevice& device, DeviceDescriptionToString& arguments) {
  arguments.text = device.text.data();
  arguments.textSize = device.text.size();
  return {};
}

Status tellDescription(EngineDevice& device, DeviceGetDescription& arguments) {
  arguments.description = handleOf(&device.description);
  return {};
}

Status tellAddressable(EngineDevice&, DeviceIsAddressable& arguments) {
  arguments.addressable = true;
  return {};
}

Status tellHardwareId(EngineDevice& device, DeviceLocalHardwareId& arguments) {
  arguments.id = device.description.id;
  return {};
}

Status tellDeviceMemories(EngineDevice& device, DeviceAddressableMemories& arguments) {
  arguments.memories = device.memories.data();
  arguments.count = device.memories.size();
  return {};
}

Status tellDefaultMemory(EngineDevice& device, DeviceDefaultMemory& arguments) {
  arguments.memory = handleOf(&device.memory);
  return {};
}

Status tellMemoryStats(EngineDevice& device, DeviceMemoryStats& arguments) {
  arguments.bytesInUse = device.use.inUse();
  arguments.peakBytesInUse = device.use.peak();
  arguments.allocations = device.use.allocations();
  arguments.largestAllocation = device.use.largest();
  arguments.bytesLimit = bytesOfThisMachine();
  arguments.peakBytesInUseIsSet = arguments.allocationsIsSet = true;
  arguments.largestAllocationIsSet = arguments.bytesLimitIsSet = true;
  arguments.bytesReservedIsSet = arguments.peakBytesReservedIsSet = false;
  arguments.bytesReservableLimitIsSet = arguments.largestFreeBlockIsSet = false;
  arguments.poolBytesIsSet = arguments.peakPoolBytesIsSet = false;
  return {};
}

Status tellMemoryId(EngineMemory& memory, MemoryId& arguments) {
  arguments.id = memory.id;
  return {};
}

Status tellMemoryKind(EngineMemory&, MemoryKind& arguments) {
  arguments.kind = kMemoryKind.data();
  arguments.kindSize = kMemoryKind.size();
  return {};
}

Status tellMemoryDebugText(EngineMemory& memory, MemoryDebugString& arguments) {
  arguments.text = memory.text.data();
  arguments.textSize = memory.text.size();
  return {};
}

Status tellMemoryText(EngineMemory& memory, MemoryToString& arguments) {
  arguments.text = memory.text.data();
  arguments.textSize = memory.text.size();
  return {};
}

Status tellMemoryDevices(EngineMemory& memory, MemoryAddressableByDevices& arguments) {
  arguments.devices = memory.devices.data();
  arguments.count = memory.devices.size();
  return {};
}

}  // namespace

void MemoryUse::add(size_t bytes) {
  const auto added = static_cast<int64_t>(bytes);
  ++allocations_;
  raiseTo(largest_, added);
  raiseTo(peak_, inUse_ += added);
}

DeviceSet::DeviceSet(int count) {
  for (int id = 0; id < count; ++id) {
    EngineDevice& device = devices_.emplace_back();
    device.description = {id, fmt::format("device {} of the embedded engine", id),
                          fmt::format("VintageDevice(id={})", id)};
    device.memory.id = id;
    device.memory.text = fmt::format("memory of device {} of the embedded engine", id);
    device.memory.device = &device;
    device.memory.devices = {handleOf(&device)};
    device.memories = {handleOf(&device.memory)};
    handles_.push_back(handleOf(&device));
    memories_.push_back(handleOf(&device.memory));
    descriptions_.push_back(handleOf(&device.description));
  }
}

EngineDevice* DeviceSet::find(int id) {
  return id >= 0 && static_cast<size_t>(id) < devices_.size() ? &devices_[static_cast<size_t>(id)]
                                                              : nullptr;
}

void answerDevices(Api& api) {
  answer<tellDescriptionId>(api);
  answer<tellDescriptionProcess>(api);
  answer<tellDescriptionAttributes>(api);
  answer<tellDescriptionKind>(api);
  answer<tellDescriptionDebugText>(api);
  answer<tellDescriptionText>(api);
  answer<tellDescription>(api);
  answer<tellAddressable>(api);
  answer<tellHardwareId>(api);
  answer<tellDeviceMemories>(api);
  answer<tellDefaultMemory>(api);
  answer<tellMemoryStats>(api);
  answer<tellMemoryId>(api);
  answer<tellMemoryKind>(api);
  answer<tellMemoryDebugText>(api);
  answer<tellMemoryText>(api);
  answer<tellMemoryDevices>(api);
}

}  // namespace vintage::harness::plugin

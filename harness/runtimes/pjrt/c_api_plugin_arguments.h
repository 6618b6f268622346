// What the functions of the PJRT C API take that only a plugin answers and that the client here
// does not call: harness/plugin.
#pragma once

#include "harness/runtimes/pjrt/c_api_arguments.h"

namespace vintage::harness {

using EventIsReady = ValueArguments<Slot::kEventIsReady, PluginEvent, bool>;
using EventError = ObjectArguments<Slot::kEventError, PluginEvent>;

using ReadyCallback = void (*)(PluginError* error, void* argument);

struct EventOnReady {
  VINTAGE_PJRT_ARGUMENTS(EventOnReady, argument);
  PluginEvent* event = nullptr;
  ReadyCallback callback = nullptr;  // Takes the error over.
  void* argument = nullptr;
};

using ClientProcessIndex = ValueArguments<Slot::kClientProcessIndex, PluginClient, int>;
using ClientTopologyDescription =
    ValueArguments<Slot::kClientTopologyDescription, PluginClient, PluginTopology*>;
using ClientDevices = ListArguments<Slot::kClientDevices, PluginClient, PluginDevice*>;

struct ClientLookupDevice {
  VINTAGE_PJRT_ARGUMENTS(ClientLookupDevice, device);
  PluginClient* client = nullptr;
  int id = 0;
  PluginDevice* device = nullptr;  // Out.
};

struct ClientLookupAddressableDevice {
  VINTAGE_PJRT_ARGUMENTS(ClientLookupAddressableDevice, device);
  PluginClient* client = nullptr;
  int hardwareId = 0;
  PluginDevice* device = nullptr;  // Out.
};

using ClientAddressableMemories =
    ListArguments<Slot::kClientAddressableMemories, PluginClient, PluginMemory*>;

struct ClientDefaultDeviceAssignment {
  VINTAGE_PJRT_ARGUMENTS(ClientDefaultDeviceAssignment, assignment);
  PluginClient* client = nullptr;
  int replicas = 0, partitions = 0;
  size_t assignmentSize = 0;
  int* assignment = nullptr;  // Filled in.
};

struct ClientCreateViewOfDeviceBuffer {
  VINTAGE_PJRT_ARGUMENTS(ClientCreateViewOfDeviceBuffer, memory);
  PluginClient* client = nullptr;
  void* data = nullptr;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  int type = 0;
  MemoryLayout* layout = nullptr;
  PluginDevice* device = nullptr;
  void (*onDelete)(void* data, void* argument) = nullptr;
  void* onDeleteArgument = nullptr;
  intptr_t stream = 0;
  PluginBuffer* buffer = nullptr;  // Out.
  PluginMemory* memory = nullptr;
};

using DeviceDescriptionProcessIndex =
    ValueArguments<Slot::kDeviceDescriptionProcessIndex, PluginDeviceDescription, int>;
using DeviceDescriptionAttributes =
    CountedArguments<Slot::kDeviceDescriptionAttributes, PluginDeviceDescription, NamedValue>;
using DeviceDescriptionDebugString =
    ListArguments<Slot::kDeviceDescriptionDebugString, PluginDeviceDescription, char>;
using DeviceDescriptionToString =
    ListArguments<Slot::kDeviceDescriptionToString, PluginDeviceDescription, char>;
using DeviceIsAddressable = ValueArguments<Slot::kDeviceIsAddressable, PluginDevice, bool>;
using DeviceLocalHardwareId = ValueArguments<Slot::kDeviceLocalHardwareId, PluginDevice, int>;
using DeviceAddressableMemories =
    ListArguments<Slot::kDeviceAddressableMemories, PluginDevice, PluginMemory*>;
using DeviceDefaultMemory = ValueArguments<Slot::kDeviceDefaultMemory, PluginDevice, PluginMemory*>;

struct DeviceMemoryStats {
  VINTAGE_PJRT_ARGUMENTS(DeviceMemoryStats, peakPoolBytesIsSet);
  PluginDevice* device = nullptr;
  // All are out.
  int64_t bytesInUse = 0;
  int64_t peakBytesInUse = 0;
  bool peakBytesInUseIsSet = false;
  int64_t allocations = 0;
  bool allocationsIsSet = false;
  int64_t largestAllocation = 0;
  bool largestAllocationIsSet = false;
  int64_t bytesLimit = 0;
  bool bytesLimitIsSet = false;
  int64_t bytesReserved = 0;
  bool bytesReservedIsSet = false;
  int64_t peakBytesReserved = 0;
  bool peakBytesReservedIsSet = false;
  int64_t bytesReservableLimit = 0;
  bool bytesReservableLimitIsSet = false;
  int64_t largestFreeBlock = 0;
  bool largestFreeBlockIsSet = false;
  int64_t poolBytes = 0;
  bool poolBytesIsSet = false;
  int64_t peakPoolBytes = 0;
  bool peakPoolBytesIsSet = false;
};

using MemoryId = ValueArguments<Slot::kMemoryId, PluginMemory, int>;
using MemoryKind = ListArguments<Slot::kMemoryKind, PluginMemory, char>;
using MemoryDebugString = ListArguments<Slot::kMemoryDebugString, PluginMemory, char>;
using MemoryToString = ListArguments<Slot::kMemoryToString, PluginMemory, char>;
using MemoryAddressableByDevices =
    ListArguments<Slot::kMemoryAddressableByDevices, PluginMemory, PluginDevice*>;
using ExecutableName = ListArguments<Slot::kExecutableName, PluginExecutable, char>;
using ExecutableNumReplicas =
    ValueArguments<Slot::kExecutableNumReplicas, PluginExecutable, size_t>;
using ExecutableNumPartitions =
    ValueArguments<Slot::kExecutableNumPartitions, PluginExecutable, size_t>;
using ExecutableSizeOfGeneratedCodeInBytes =
    ValueArguments<Slot::kExecutableSizeOfGeneratedCodeInBytes, PluginExecutable, int64_t>;
using ExecutableGetCostAnalysis =
    CountedArguments<Slot::kExecutableGetCostAnalysis, PluginExecutable, NamedValue>;

struct ExecutableOutputMemoryKinds {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOutputMemoryKinds, kindSizes);
  PluginExecutable* executable = nullptr;
  size_t count = 0;                    // Out.
  const char* const* kinds = nullptr;  // Out.
  const size_t* kindSizes = nullptr;   // Out.
};

struct ExecutableOptimizedProgram {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOptimizedProgram, program);
  PluginExecutable* executable = nullptr;
  PluginProgram* program = nullptr;  // Its fields are out; without a buffer its size only.
};

struct PluginSerializedExecutable;
using ExecutableSerialize =
    SerializeArguments<Slot::kExecutableSerialize, PluginExecutable, PluginSerializedExecutable>;
using ExecutableOutputElementTypes =
    ListArguments<Slot::kExecutableOutputElementTypes, PluginExecutable, int>;

struct ExecutableOutputDimensions {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOutputDimensions, ranks);
  PluginExecutable* executable = nullptr;
  size_t count = 0;
  const int64_t* dimensions = nullptr;  // Out: of all outputs in a row.
  const size_t* ranks = nullptr;        // Out.
};

using ExecutableFingerprint = ListArguments<Slot::kExecutableFingerprint, PluginExecutable, char>;
using LoadedExecutableAddressableDevices =
    ListArguments<Slot::kLoadedExecutableAddressableDevices, PluginLoadedExecutable, PluginDevice*>;
using LoadedExecutableDelete =
    ObjectArguments<Slot::kLoadedExecutableDelete, PluginLoadedExecutable>;
using LoadedExecutableIsDeleted =
    ValueArguments<Slot::kLoadedExecutableIsDeleted, PluginLoadedExecutable, bool>;
using LoadedExecutableFingerprint =
    ListArguments<Slot::kLoadedExecutableFingerprint, PluginLoadedExecutable, char>;

struct ExecutableDeserializeAndLoad {
  VINTAGE_PJRT_ARGUMENTS(ExecutableDeserializeAndLoad, optionsSize);
  PluginClient* client = nullptr;
  const char* serialized = nullptr;
  size_t serializedSize = 0;
  PluginLoadedExecutable* executable = nullptr;  // Out.
  const char* options = nullptr;                 // Instead of those that were serialized.
  size_t optionsSize = 0;
};

using BufferUnpaddedDimensions =
    ListArguments<Slot::kBufferUnpaddedDimensions, PluginBuffer, int64_t>;
using BufferDynamicDimensionIndices =
    ListArguments<Slot::kBufferDynamicDimensionIndices, PluginBuffer, size_t>;
using BufferGetMemoryLayout =
    ValueArguments<Slot::kBufferGetMemoryLayout, PluginBuffer, MemoryLayout>;
using BufferOnDeviceSizeInBytes =
    ValueArguments<Slot::kBufferOnDeviceSizeInBytes, PluginBuffer, size_t>;
using BufferDevice = ValueArguments<Slot::kBufferDevice, PluginBuffer, PluginDevice*>;
using BufferMemory = ValueArguments<Slot::kBufferMemory, PluginBuffer, PluginMemory*>;
using BufferDelete = ObjectArguments<Slot::kBufferDelete, PluginBuffer>;
using BufferIsDeleted = ValueArguments<Slot::kBufferIsDeleted, PluginBuffer, bool>;

struct BufferCopyToDevice {
  VINTAGE_PJRT_ARGUMENTS(BufferCopyToDevice, copy);
  PluginBuffer* buffer = nullptr;
  PluginDevice* device = nullptr;
  PluginBuffer* copy = nullptr;  // Out.
};

struct BufferCopyToMemory {
  VINTAGE_PJRT_ARGUMENTS(BufferCopyToMemory, copy);
  PluginBuffer* buffer = nullptr;
  PluginMemory* memory = nullptr;
  PluginBuffer* copy = nullptr;  // Out.
};

using BufferIsOnCpu = ValueArguments<Slot::kBufferIsOnCpu, PluginBuffer, bool>;
using BufferReadyEvent = ValueArguments<Slot::kBufferReadyEvent, PluginBuffer, PluginEvent*>;
using BufferUnsafePointer = ValueArguments<Slot::kBufferUnsafePointer, PluginBuffer, uintptr_t>;
using BufferIncreaseExternalReferenceCount =
    ObjectArguments<Slot::kBufferIncreaseExternalReferenceCount, PluginBuffer>;
using BufferDecreaseExternalReferenceCount =
    ObjectArguments<Slot::kBufferDecreaseExternalReferenceCount, PluginBuffer>;
using BufferOpaqueDeviceMemoryDataPointer =
    ValueArguments<Slot::kBufferOpaqueDeviceMemoryDataPointer, PluginBuffer, void*>;

struct PluginSerializedTopology;
using TopologyDescriptionSerialize =
    SerializeArguments<Slot::kTopologyDescriptionSerialize, PluginTopology, PluginSerializedTopology>;
using TopologyDescriptionAttributes =
    ListArguments<Slot::kTopologyDescriptionAttributes, PluginTopology, NamedValue>;

}  // namespace vintage::harness

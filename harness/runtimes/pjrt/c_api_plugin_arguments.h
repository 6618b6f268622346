// The arguments of those functions of the PJRT C API that only a plugin implements (harness/plugin)
// and that the client here does not call.
#pragma once

#include "harness/runtimes/pjrt/c_api_arguments.h"

namespace vintage::harness {

VINTAGE_PJRT(Value, EventIsReady, PluginEvent, bool);
VINTAGE_PJRT(Object, EventError, PluginEvent);

using ReadyCallback = void (*)(PluginError* error, void* argument);

struct EventOnReady {
  VINTAGE_PJRT_ARGUMENTS(EventOnReady, argument);
  PluginEvent* event = nullptr;
  ReadyCallback callback = nullptr;  // Takes the error over.
  void* argument = nullptr;
};

VINTAGE_PJRT(Value, ClientProcessIndex, PluginClient, int);
VINTAGE_PJRT(Value, ClientTopologyDescription, PluginClient, PluginTopology*);
VINTAGE_PJRT(List, ClientDevices, PluginClient, PluginDevice*);

VINTAGE_PJRT(Lookup, ClientLookupDevice, PluginClient);
VINTAGE_PJRT(Lookup, ClientLookupAddressableDevice, PluginClient);

VINTAGE_PJRT(List, ClientAddressableMemories, PluginClient, PluginMemory*);

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

VINTAGE_PJRT(Value, DeviceDescriptionProcessIndex, PluginDeviceDescription, int);
VINTAGE_PJRT(Counted, DeviceDescriptionAttributes, PluginDeviceDescription, NamedValue);
VINTAGE_PJRT(List, DeviceDescriptionDebugString, PluginDeviceDescription, char);
VINTAGE_PJRT(List, DeviceDescriptionToString, PluginDeviceDescription, char);
VINTAGE_PJRT(Value, DeviceIsAddressable, PluginDevice, bool);
VINTAGE_PJRT(Value, DeviceLocalHardwareId, PluginDevice, int);
VINTAGE_PJRT(List, DeviceAddressableMemories, PluginDevice, PluginMemory*);
VINTAGE_PJRT(Value, DeviceDefaultMemory, PluginDevice, PluginMemory*);

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

struct PluginDeviceAttributes;
struct DeviceGetAttributes {
  VINTAGE_PJRT_ARGUMENTS(DeviceGetAttributes, destroy);
  PluginDevice* device = nullptr;
  // All are out.
  const NamedValue* attributes = nullptr;
  size_t count = 0;
  PluginDeviceAttributes* holder = nullptr;
  void (*destroy)(PluginDeviceAttributes* holder) = nullptr;
};

VINTAGE_PJRT(Value, MemoryId, PluginMemory, int);
VINTAGE_PJRT(Value, MemoryKindId, PluginMemory, int);
VINTAGE_PJRT(List, MemoryKind, PluginMemory, char);
VINTAGE_PJRT(List, MemoryDebugString, PluginMemory, char);
VINTAGE_PJRT(List, MemoryToString, PluginMemory, char);
VINTAGE_PJRT(List, MemoryAddressableByDevices, PluginMemory, PluginDevice*);
VINTAGE_PJRT(List, ExecutableName, PluginExecutable, char);
VINTAGE_PJRT(Value, ExecutableNumReplicas, PluginExecutable, size_t);
VINTAGE_PJRT(Value, ExecutableNumPartitions, PluginExecutable, size_t);
VINTAGE_PJRT(Value, ExecutableSizeOfGeneratedCodeInBytes, PluginExecutable, int64_t);
VINTAGE_PJRT(Counted, ExecutableGetCostAnalysis, PluginExecutable, NamedValue);

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
VINTAGE_PJRT(Serialize, ExecutableSerialize, PluginExecutable, PluginSerializedExecutable);
VINTAGE_PJRT(List, ExecutableOutputElementTypes, PluginExecutable, int);

struct ExecutableOutputDimensions {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOutputDimensions, ranks);
  PluginExecutable* executable = nullptr;
  size_t count = 0;
  const int64_t* dimensions = nullptr;  // Out: of all outputs in a row.
  const size_t* ranks = nullptr;        // Out.
};

VINTAGE_PJRT(List, ExecutableFingerprint, PluginExecutable, char);

struct PluginSerializedOptions;
VINTAGE_PJRT(Serialize, ExecutableGetCompileOptions, PluginExecutable, PluginSerializedOptions);
struct PluginSerializedAssignment;
VINTAGE_PJRT(Serialize, LoadedExecutableGetDeviceAssignment, PluginLoadedExecutable,
             PluginSerializedAssignment);

VINTAGE_PJRT(List, LoadedExecutableAddressableDevices, PluginLoadedExecutable, PluginDevice*);
VINTAGE_PJRT(Object, LoadedExecutableDelete, PluginLoadedExecutable);
VINTAGE_PJRT(Value, LoadedExecutableIsDeleted, PluginLoadedExecutable, bool);
VINTAGE_PJRT(List, LoadedExecutableFingerprint, PluginLoadedExecutable, char);

struct ExecutableDeserializeAndLoad {
  VINTAGE_PJRT_ARGUMENTS(ExecutableDeserializeAndLoad, optionsSize);
  PluginClient* client = nullptr;
  const char* serialized = nullptr;
  size_t serializedSize = 0;
  PluginLoadedExecutable* executable = nullptr;  // Out.
  const char* options = nullptr;                 // Instead of those that were serialized.
  size_t optionsSize = 0;
};

VINTAGE_PJRT(List, BufferUnpaddedDimensions, PluginBuffer, int64_t);
VINTAGE_PJRT(List, BufferDynamicDimensionIndices, PluginBuffer, size_t);
VINTAGE_PJRT(Value, BufferGetMemoryLayout, PluginBuffer, MemoryLayout);
VINTAGE_PJRT(Value, BufferOnDeviceSizeInBytes, PluginBuffer, size_t);
VINTAGE_PJRT(Value, BufferDevice, PluginBuffer, PluginDevice*);
VINTAGE_PJRT(Value, BufferMemory, PluginBuffer, PluginMemory*);
VINTAGE_PJRT(Object, BufferDelete, PluginBuffer);
VINTAGE_PJRT(Value, BufferIsDeleted, PluginBuffer, bool);

VINTAGE_PJRT(Copy, BufferCopyToDevice, PluginBuffer, PluginDevice);
VINTAGE_PJRT(Copy, BufferCopyToMemory, PluginBuffer, PluginMemory);

VINTAGE_PJRT(Value, BufferIsOnCpu, PluginBuffer, bool);
VINTAGE_PJRT(Value, BufferReadyEvent, PluginBuffer, PluginEvent*);
VINTAGE_PJRT(Value, BufferUnsafePointer, PluginBuffer, uintptr_t);
VINTAGE_PJRT(Object, BufferIncreaseExternalReferenceCount, PluginBuffer);
VINTAGE_PJRT(Object, BufferDecreaseExternalReferenceCount, PluginBuffer);
VINTAGE_PJRT(Value, BufferOpaqueDeviceMemoryDataPointer, PluginBuffer, void*);

struct PluginSerializedTopology;
VINTAGE_PJRT(Serialize, TopologyDescriptionSerialize, PluginTopology, PluginSerializedTopology);
VINTAGE_PJRT(List, TopologyDescriptionAttributes, PluginTopology, NamedValue);

}  // namespace vintage::harness

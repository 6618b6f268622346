// What the functions of the PJRT C API take that only a plugin answers and that the client here
// does not call: harness/plugin.
#pragma once

#include "harness/consumers/pjrt/c_api_arguments.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

struct EventIsReady {
  VINTAGE_PJRT_ARGUMENTS(EventIsReady, isReady);
  PluginEvent* event = nullptr;
  bool isReady = false;  // Out.
};

struct EventError {
  VINTAGE_PJRT_ARGUMENTS(EventError, event);
  PluginEvent* event = nullptr;
};

using ReadyCallback = void (*)(PluginError* error, void* argument);
struct EventOnReady {
  VINTAGE_PJRT_ARGUMENTS(EventOnReady, argument);
  PluginEvent* event = nullptr;
  ReadyCallback callback = nullptr;  // Takes the error over.
  void* argument = nullptr;
};

struct ClientProcessIndex {
  VINTAGE_PJRT_ARGUMENTS(ClientProcessIndex, index);
  PluginClient* client = nullptr;
  int index = 0;  // Out.
};

struct ClientTopologyDescription {
  VINTAGE_PJRT_ARGUMENTS(ClientTopologyDescription, topology);
  PluginClient* client = nullptr;
  PluginTopology* topology = nullptr;  // Out; the client's own.
};

struct ClientDevices {
  VINTAGE_PJRT_ARGUMENTS(ClientDevices, count);
  PluginClient* client = nullptr;
  PluginDevice* const* devices = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

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

struct ClientAddressableMemories {
  VINTAGE_PJRT_ARGUMENTS(ClientAddressableMemories, count);
  PluginClient* client = nullptr;
  PluginMemory* const* memories = nullptr;  // Out.
  size_t count = 0;                         // Out.
};

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

struct DeviceDescriptionProcessIndex {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionProcessIndex, index);
  PluginDeviceDescription* description = nullptr;
  int index = 0;  // Out.
};

struct DeviceDescriptionAttributes {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionAttributes, attributes);
  PluginDeviceDescription* description = nullptr;
  size_t count = 0;                        // Out.
  const NamedValue* attributes = nullptr;  // Out.
};

struct DeviceDescriptionDebugString {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionDebugString, textSize);
  PluginDeviceDescription* description = nullptr;
  const char* text = nullptr;  // Out.
  size_t textSize = 0;         // Out.
};

struct DeviceDescriptionToString {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionToString, textSize);
  PluginDeviceDescription* description = nullptr;
  const char* text = nullptr;  // Out.
  size_t textSize = 0;         // Out.
};

struct DeviceIsAddressable {
  VINTAGE_PJRT_ARGUMENTS(DeviceIsAddressable, addressable);
  PluginDevice* device = nullptr;
  bool addressable = false;  // Out.
};

struct DeviceLocalHardwareId {
  VINTAGE_PJRT_ARGUMENTS(DeviceLocalHardwareId, id);
  PluginDevice* device = nullptr;
  int id = 0;  // Out.
};

struct DeviceAddressableMemories {
  VINTAGE_PJRT_ARGUMENTS(DeviceAddressableMemories, count);
  PluginDevice* device = nullptr;
  PluginMemory* const* memories = nullptr;  // Out.
  size_t count = 0;                         // Out.
};

struct DeviceDefaultMemory {
  VINTAGE_PJRT_ARGUMENTS(DeviceDefaultMemory, memory);
  PluginDevice* device = nullptr;
  PluginMemory* memory = nullptr;  // Out.
};

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

struct MemoryId {
  VINTAGE_PJRT_ARGUMENTS(MemoryId, id);
  PluginMemory* memory = nullptr;
  int id = 0;  // Out.
};

struct MemoryKind {
  VINTAGE_PJRT_ARGUMENTS(MemoryKind, kindSize);
  PluginMemory* memory = nullptr;
  const char* kind = nullptr;  // Out.
  size_t kindSize = 0;         // Out.
};

struct MemoryDebugString {
  VINTAGE_PJRT_ARGUMENTS(MemoryDebugString, textSize);
  PluginMemory* memory = nullptr;
  const char* text = nullptr;  // Out.
  size_t textSize = 0;         // Out.
};

struct MemoryToString {
  VINTAGE_PJRT_ARGUMENTS(MemoryToString, textSize);
  PluginMemory* memory = nullptr;
  const char* text = nullptr;  // Out.
  size_t textSize = 0;         // Out.
};

struct MemoryAddressableByDevices {
  VINTAGE_PJRT_ARGUMENTS(MemoryAddressableByDevices, count);
  PluginMemory* memory = nullptr;
  PluginDevice* const* devices = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

struct ExecutableName {
  VINTAGE_PJRT_ARGUMENTS(ExecutableName, nameSize);
  PluginExecutable* executable = nullptr;
  const char* name = nullptr;  // Out.
  size_t nameSize = 0;         // Out.
};

struct ExecutableNumReplicas {
  VINTAGE_PJRT_ARGUMENTS(ExecutableNumReplicas, count);
  PluginExecutable* executable = nullptr;
  size_t count = 0;  // Out.
};

struct ExecutableNumPartitions {
  VINTAGE_PJRT_ARGUMENTS(ExecutableNumPartitions, count);
  PluginExecutable* executable = nullptr;
  size_t count = 0;  // Out.
};

struct ExecutableSizeOfGeneratedCodeInBytes {
  VINTAGE_PJRT_ARGUMENTS(ExecutableSizeOfGeneratedCodeInBytes, size);
  PluginExecutable* executable = nullptr;
  int64_t size = 0;  // Out.
};

struct ExecutableGetCostAnalysis {
  VINTAGE_PJRT_ARGUMENTS(ExecutableGetCostAnalysis, properties);
  PluginExecutable* executable = nullptr;
  size_t count = 0;                        // Out.
  const NamedValue* properties = nullptr;  // Out.
};

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
struct ExecutableSerialize {
  VINTAGE_PJRT_ARGUMENTS(ExecutableSerialize, destroy);
  const PluginExecutable* executable = nullptr;
  const char* serialized = nullptr;                               // Out.
  size_t serializedSize = 0;                                      // Out.
  PluginSerializedExecutable* holder = nullptr;                   // Out.
  void (*destroy)(PluginSerializedExecutable* holder) = nullptr;  // Out.
};

struct ExecutableOutputElementTypes {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOutputElementTypes, count);
  PluginExecutable* executable = nullptr;
  int* types = nullptr;  // Out.
  size_t count = 0;      // Out.
};

struct ExecutableOutputDimensions {
  VINTAGE_PJRT_ARGUMENTS(ExecutableOutputDimensions, ranks);
  PluginExecutable* executable = nullptr;
  size_t count = 0;
  const int64_t* dimensions = nullptr;  // Out: of all outputs in a row.
  const size_t* ranks = nullptr;        // Out.
};

struct ExecutableFingerprint {
  VINTAGE_PJRT_ARGUMENTS(ExecutableFingerprint, fingerprintSize);
  PluginExecutable* executable = nullptr;
  const char* fingerprint = nullptr;  // Out.
  size_t fingerprintSize = 0;         // Out.
};

struct LoadedExecutableAddressableDevices {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableAddressableDevices, count);
  PluginLoadedExecutable* executable = nullptr;
  PluginDevice* const* devices = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

struct LoadedExecutableDelete {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableDelete, executable);
  PluginLoadedExecutable* executable = nullptr;
};

struct LoadedExecutableIsDeleted {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableIsDeleted, deleted);
  PluginLoadedExecutable* executable = nullptr;
  bool deleted = false;  // Out.
};

struct LoadedExecutableFingerprint {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableFingerprint, fingerprintSize);
  PluginLoadedExecutable* executable = nullptr;
  const char* fingerprint = nullptr;  // Out.
  size_t fingerprintSize = 0;         // Out.
};

struct ExecutableDeserializeAndLoad {
  VINTAGE_PJRT_ARGUMENTS(ExecutableDeserializeAndLoad, optionsSize);
  PluginClient* client = nullptr;
  const char* serialized = nullptr;
  size_t serializedSize = 0;
  PluginLoadedExecutable* executable = nullptr;  // Out.
  const char* options = nullptr;                 // Instead of those that were serialized.
  size_t optionsSize = 0;
};

struct BufferUnpaddedDimensions {
  VINTAGE_PJRT_ARGUMENTS(BufferUnpaddedDimensions, rank);
  PluginBuffer* buffer = nullptr;
  const int64_t* dimensions = nullptr;  // Out.
  size_t rank = 0;                      // Out.
};

struct BufferDynamicDimensionIndices {
  VINTAGE_PJRT_ARGUMENTS(BufferDynamicDimensionIndices, count);
  PluginBuffer* buffer = nullptr;
  const size_t* indices = nullptr;  // Out.
  size_t count = 0;                 // Out.
};

struct BufferGetMemoryLayout {
  VINTAGE_PJRT_ARGUMENTS(BufferGetMemoryLayout, layout);
  PluginBuffer* buffer = nullptr;
  MemoryLayout layout{};  // Out.
};

struct BufferOnDeviceSizeInBytes {
  VINTAGE_PJRT_ARGUMENTS(BufferOnDeviceSizeInBytes, size);
  PluginBuffer* buffer = nullptr;
  size_t size = 0;  // Out.
};

struct BufferDevice {
  VINTAGE_PJRT_ARGUMENTS(BufferDevice, device);
  PluginBuffer* buffer = nullptr;
  PluginDevice* device = nullptr;  // Out.
};

struct BufferMemory {
  VINTAGE_PJRT_ARGUMENTS(BufferMemory, memory);
  PluginBuffer* buffer = nullptr;
  PluginMemory* memory = nullptr;  // Out.
};

struct BufferDelete {
  VINTAGE_PJRT_ARGUMENTS(BufferDelete, buffer);
  PluginBuffer* buffer = nullptr;
};

struct BufferIsDeleted {
  VINTAGE_PJRT_ARGUMENTS(BufferIsDeleted, deleted);
  PluginBuffer* buffer = nullptr;
  bool deleted = false;  // Out.
};

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

struct BufferIsOnCpu {
  VINTAGE_PJRT_ARGUMENTS(BufferIsOnCpu, onCpu);
  PluginBuffer* buffer = nullptr;
  bool onCpu = false;  // Out.
};

struct BufferReadyEvent {
  VINTAGE_PJRT_ARGUMENTS(BufferReadyEvent, event);
  PluginBuffer* buffer = nullptr;
  PluginEvent* event = nullptr;  // Out.
};

struct BufferUnsafePointer {
  VINTAGE_PJRT_ARGUMENTS(BufferUnsafePointer, pointer);
  PluginBuffer* buffer = nullptr;
  uintptr_t pointer = 0;  // Out.
};

struct BufferIncreaseExternalReferenceCount {
  VINTAGE_PJRT_ARGUMENTS(BufferIncreaseExternalReferenceCount, buffer);
  PluginBuffer* buffer = nullptr;
};

struct BufferDecreaseExternalReferenceCount {
  VINTAGE_PJRT_ARGUMENTS(BufferDecreaseExternalReferenceCount, buffer);
  PluginBuffer* buffer = nullptr;
};

struct BufferOpaqueDeviceMemoryDataPointer {
  VINTAGE_PJRT_ARGUMENTS(BufferOpaqueDeviceMemoryDataPointer, pointer);
  PluginBuffer* buffer = nullptr;
  void* pointer = nullptr;  // Out.
};

struct PluginSerializedTopology;
struct TopologyDescriptionSerialize {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionSerialize, destroy);
  PluginTopology* topology = nullptr;
  const char* serialized = nullptr;                             // Out.
  size_t serializedSize = 0;                                    // Out.
  PluginSerializedTopology* holder = nullptr;                   // Out.
  void (*destroy)(PluginSerializedTopology* holder) = nullptr;  // Out.
};

struct TopologyDescriptionAttributes {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionAttributes, count);
  PluginTopology* topology = nullptr;
  const NamedValue* attributes = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

}  // namespace vintage::harness::consumers::pjrt

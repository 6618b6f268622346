// The part of the PJRT C API that a client needs, in declarations of our own.
//
// A plugin exports GetPjrtApi(), which gives a table of functions. The table and the
// structures that the functions take only grow at their end, at least from API 0.54 to
// 0.116; each begins with its size, so that a caller and a plugin of different age know what
// the other one has. tests/runtime/pjrt compares all of this with the header that a package
// carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vintage::harness {

// A function's place in the table.
// clang-format off
enum class Slot : size_t {
  kErrorDestroy, kErrorMessage, kErrorGetCode, kPluginInitialize, kPluginAttributes,
  kEventDestroy, kEventIsReady, kEventError, kEventAwait, kEventOnReady, kClientCreate,
  kClientDestroy, kClientPlatformName, kClientProcessIndex, kClientPlatformVersion,
  kClientDevices, kClientAddressableDevices, kClientLookupDevice, kClientLookupAddressableDevice,
  kClientAddressableMemories, kClientCompile, kClientDefaultDeviceAssignment,
  kClientBufferFromHostBuffer, kDeviceDescriptionId, kDeviceDescriptionProcessIndex,
  kDeviceDescriptionAttributes, kDeviceDescriptionKind, kDeviceDescriptionDebugString,
  kDeviceDescriptionToString, kDeviceGetDescription, kDeviceIsAddressable,
  kDeviceLocalHardwareId, kDeviceAddressableMemories, kDeviceDefaultMemory, kDeviceMemoryStats,
  kMemoryId, kMemoryKind, kMemoryDebugString, kMemoryToString, kMemoryAddressableByDevices,
  kExecutableDestroy, kExecutableName, kExecutableNumReplicas, kExecutableNumPartitions,
  kExecutableNumOutputs, kExecutableSizeOfGeneratedCodeInBytes, kExecutableGetCostAnalysis,
  kExecutableOutputMemoryKinds, kExecutableOptimizedProgram, kExecutableSerialize,
  kLoadedExecutableDestroy, kLoadedExecutableGetExecutable, kLoadedExecutableAddressableDevices,
  kLoadedExecutableDelete, kLoadedExecutableIsDeleted, kLoadedExecutableExecute,
  kExecutableDeserializeAndLoad, kLoadedExecutableFingerprint, kBufferDestroy,
  kBufferElementType, kBufferDimensions, kBufferUnpaddedDimensions,
  kBufferDynamicDimensionIndices, kBufferGetMemoryLayout, kBufferOnDeviceSizeInBytes,
  kBufferDevice, kBufferMemory, kBufferDelete, kBufferIsDeleted, kBufferCopyToDevice,
  kBufferToHostBuffer, kBufferIsOnCpu, kBufferReadyEvent, kBufferUnsafePointer,
  kBufferIncreaseExternalReferenceCount, kBufferDecreaseExternalReferenceCount,
  kBufferOpaqueDeviceMemoryDataPointer, kCopyToDeviceStreamDestroy, kCopyToDeviceStreamAddChunk,
  kCopyToDeviceStreamTotalBytes, kCopyToDeviceStreamGranuleSize, kCopyToDeviceStreamCurrentBytes,
  kTopologyDescriptionCreate, kTopologyDescriptionDestroy, kTopologyDescriptionPlatformName,
  kTopologyDescriptionPlatformVersion, kTopologyDescriptionGetDeviceDescriptions,
  kTopologyDescriptionSerialize, kTopologyDescriptionAttributes, kCompile,
  kExecutableOutputElementTypes, kExecutableOutputDimensions, kBufferCopyToMemory,
  kClientCreateViewOfDeviceBuffer, kExecutableFingerprint, kClientTopologyDescription,
  kExecutableGetCompiledMemoryStats, kMemoryKindId, kExecuteContextCreate, kExecuteContextDestroy,
  kBufferCopyRawToHost, kAsyncHostToDeviceTransferManagerDestroy,
  kAsyncHostToDeviceTransferManagerTransferData, kClientCreateBuffersForAsyncHostToDevice,
  kAsyncHostToDeviceTransferManagerRetrieveBuffer, kAsyncHostToDeviceTransferManagerDevice,
  kAsyncHostToDeviceTransferManagerBufferCount, kAsyncHostToDeviceTransferManagerBufferSize,
  kAsyncHostToDeviceTransferManagerSetBufferError, kAsyncHostToDeviceTransferManagerAddMetadata,
  kClientDmaMap, kClientDmaUnmap, kClientCreateUninitializedBuffer,
  kClientUpdateGlobalProcessInfo, kTopologyDescriptionDeserialize, kClientCreateAliasBuffer,
  kClientFulfillAliasBuffer, kLoadedExecutableGetDeviceAssignment, kClientCreateErrorBuffer,
  kAsyncHostToDeviceTransferManagerTransferLiteral, kBufferCopyRawToHostFuture,
  kDevicePoisonExecution, kDeviceCreateAsyncTrackingEvent, kAsyncTrackingEventDestroy,
  kExecutableGetCompileOptions, kBufferDonateWithControlDependency, kEventCreate, kEventSet,
  kDeviceGetAttributes
};
// clang-format on
// As many as a plugin of API 0.93 has.
inline constexpr size_t kSlotCount = static_cast<size_t>(Slot::kDeviceGetAttributes) + 1;

struct ApiVersion {
  size_t structSize;
  void* extension;
  int majorVersion, minorVersion;
};

using AnyFunction = void (*)();
struct Api {
  size_t structSize;  // Smaller in an older plugin, which lacks the last slots.
  void* extension;
  ApiVersion version;
  AnyFunction functions[kSlotCount];
};

// Handles that a plugin gives out and takes back; this side never reads their content.
struct PluginError;
struct PluginEvent;
struct PluginClient;
struct PluginDevice;
struct PluginDeviceDescription;
struct PluginMemory;
struct PluginTopology;
struct PluginExecutable;
struct PluginLoadedExecutable;
struct PluginBuffer;

struct NamedValue {
  enum class Type : int { kString, kInt64, kInt64List, kFloat, kBool };
  size_t structSize;
  void* extension;
  const char* name;
  size_t nameSize;
  Type type;
  union {
    const char* text;
    int64_t integer;
    const int64_t* integers;
    float real;
    bool flag;
  };
  size_t valueSize;  // Of text and lists; 1 of all others.
};
// Refers to `name`; the value is to be filled in.
inline NamedValue namedValue(std::string_view name, NamedValue::Type type) {
  NamedValue value{};
  value.structSize = offsetof(NamedValue, valueSize) + sizeof(value.valueSize);
  value.name = name.data();
  value.nameSize = name.size();
  value.type = type;
  value.valueSize = 1;
  return value;
}

struct PluginProgram {
  size_t structSize;
  void* extension;
  const char* code;
  size_t codeSize;
  const char* format;  // "mlir": a portable artifact.
  size_t formatSize;
};

struct TiledLayout {
  size_t structSize;
  void* extension;
  const int64_t* minorToMajor;
  size_t minorToMajorSize;
  const int64_t* tileDimensions;
  const size_t* tileDimensionSizes;
  size_t tiles;
};
struct MemoryLayout {
  size_t structSize;
  void* extension;
  TiledLayout tiled;  // The larger one of a union.
  int type;
};
inline constexpr int kTiledLayout = 0, kStridedLayout = 1;

// Refers to the dimensions, which have no tiles.
inline MemoryLayout memoryLayout(std::span<const int64_t> minorToMajor) {
  MemoryLayout layout{};
  layout.structSize = offsetof(MemoryLayout, type) + sizeof(layout.type);
  layout.tiled.structSize = offsetof(TiledLayout, tiles) + sizeof(layout.tiled.tiles);
  layout.tiled.minorToMajor = minorToMajor.data();
  layout.tiled.minorToMajorSize = minorToMajor.size();
  return layout;
}

struct ExecuteOptions {
  size_t structSize;
  void* extension;
  void **sendCallbacks, **receiveCallbacks;
  size_t sendOperations, receiveOperations;
  int launchId;
  const int64_t* inputsNotDonated;
  size_t inputsNotDonatedSize;
  void* context;
  const char* callLocation;
  size_t tasks;
  int* taskIds;
  int64_t* incarnationIds;
};

}  // namespace vintage::harness

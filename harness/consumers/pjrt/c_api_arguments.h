// What the functions of the PJRT C API take: a structure each, with its place in the table.
//
// A structure announces a size that ends with its last field, without what a compiler pads
// behind it: a newer plugin would take padding for a field of its own.
#pragma once

#include "harness/consumers/pjrt/c_api.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

#define VINTAGE_PJRT_ARGUMENTS(type, last)                                              \
  static constexpr Slot kSlot = Slot::k##type;                                          \
  static constexpr size_t bytes() { return offsetof(type, last) + sizeof(type::last); } \
  size_t structSize = bytes();                                                          \
  void* extension = nullptr

struct ErrorDestroy {
  VINTAGE_PJRT_ARGUMENTS(ErrorDestroy, error);
  PluginError* error = nullptr;
};
struct ErrorMessage {
  VINTAGE_PJRT_ARGUMENTS(ErrorMessage, messageSize);
  const PluginError* error = nullptr;
  const char* message = nullptr;  // Out.
  size_t messageSize = 0;         // Out.
};
struct ErrorGetCode {
  VINTAGE_PJRT_ARGUMENTS(ErrorGetCode, code);
  const PluginError* error = nullptr;
  int code = 0;  // Out.
};

struct PluginInitialize {
  VINTAGE_PJRT_ARGUMENTS(PluginInitialize, extension);
};
struct PluginAttributes {
  VINTAGE_PJRT_ARGUMENTS(PluginAttributes, count);
  const NamedValue* attributes = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

struct EventDestroy {
  VINTAGE_PJRT_ARGUMENTS(EventDestroy, event);
  PluginEvent* event = nullptr;
};
struct EventAwait {
  VINTAGE_PJRT_ARGUMENTS(EventAwait, event);
  PluginEvent* event = nullptr;
};

struct ClientCreate {
  VINTAGE_PJRT_ARGUMENTS(ClientCreate, tryGetArgument);
  const NamedValue* options = nullptr;
  size_t optionCount = 0;
  void *get = nullptr, *getArgument = nullptr, *put = nullptr, *putArgument = nullptr;
  PluginClient* client = nullptr;  // Out.
  void *tryGet = nullptr, *tryGetArgument = nullptr;
};
struct ClientDestroy {
  VINTAGE_PJRT_ARGUMENTS(ClientDestroy, client);
  PluginClient* client = nullptr;
};
struct ClientPlatformName {
  VINTAGE_PJRT_ARGUMENTS(ClientPlatformName, nameSize);
  PluginClient* client = nullptr;
  const char* name = nullptr;  // Out.
  size_t nameSize = 0;         // Out.
};
struct ClientPlatformVersion {
  VINTAGE_PJRT_ARGUMENTS(ClientPlatformVersion, nameSize);
  PluginClient* client = nullptr;
  const char* name = nullptr;  // Out.
  size_t nameSize = 0;         // Out.
};
struct ClientAddressableDevices {
  VINTAGE_PJRT_ARGUMENTS(ClientAddressableDevices, count);
  PluginClient* client = nullptr;
  PluginDevice* const* devices = nullptr;  // Out.
  size_t count = 0;                        // Out.
};
struct ClientCompile {
  VINTAGE_PJRT_ARGUMENTS(ClientCompile, executable);
  PluginClient* client = nullptr;
  const PluginProgram* program = nullptr;
  const char* options = nullptr;
  size_t optionsSize = 0;
  PluginLoadedExecutable* executable = nullptr;  // Out.
};
struct ClientBufferFromHostBuffer {
  VINTAGE_PJRT_ARGUMENTS(ClientBufferFromHostBuffer, buffer);
  PluginClient* client = nullptr;
  const void* data = nullptr;
  int type = 0;
  const int64_t* dimensions = nullptr;
  size_t rank = 0;
  const int64_t* strides = nullptr;
  size_t strideCount = 0;
  int semantics = 0;  // 0: the data is copied during the call.
  PluginDevice* device = nullptr;
  PluginMemory* memory = nullptr;
  MemoryLayout* layout = nullptr;
  PluginEvent* done = nullptr;     // Out.
  PluginBuffer* buffer = nullptr;  // Out.
};

struct DeviceGetDescription {
  VINTAGE_PJRT_ARGUMENTS(DeviceGetDescription, description);
  PluginDevice* device = nullptr;
  PluginDeviceDescription* description = nullptr;  // Out.
};
struct DeviceDescriptionId {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionId, id);
  PluginDeviceDescription* description = nullptr;
  int id = 0;  // Out.
};
struct DeviceDescriptionKind {
  VINTAGE_PJRT_ARGUMENTS(DeviceDescriptionKind, kindSize);
  PluginDeviceDescription* description = nullptr;
  const char* kind = nullptr;  // Out.
  size_t kindSize = 0;         // Out.
};

struct LoadedExecutableDestroy {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableDestroy, executable);
  PluginLoadedExecutable* executable = nullptr;
};
struct LoadedExecutableGetExecutable {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableGetExecutable, executable);
  PluginLoadedExecutable* loaded = nullptr;
  PluginExecutable* executable = nullptr;  // Out.
};
struct LoadedExecutableExecute {
  VINTAGE_PJRT_ARGUMENTS(LoadedExecutableExecute, device);
  PluginLoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  PluginBuffer* const* const* arguments = nullptr;  // For each device.
  size_t devices = 0, argumentCount = 0;
  PluginBuffer** const* outputs = nullptr;  // For each device; filled in.
  PluginEvent** done = nullptr;             // One for each device; filled in.
  PluginDevice* device = nullptr;
};
struct ExecutableDestroy {
  VINTAGE_PJRT_ARGUMENTS(ExecutableDestroy, executable);
  PluginExecutable* executable = nullptr;
};
struct ExecutableNumOutputs {
  VINTAGE_PJRT_ARGUMENTS(ExecutableNumOutputs, count);
  PluginExecutable* executable = nullptr;
  size_t count = 0;  // Out.
};
struct ExecutableGetCompiledMemoryStats {
  VINTAGE_PJRT_ARGUMENTS(ExecutableGetCompiledMemoryStats, peak);
  PluginExecutable* executable = nullptr;
  // All are out.
  int64_t code = 0, arguments = 0, outputs = 0, aliased = 0, temporaries = 0;
  int64_t hostCode = 0, hostArguments = 0, hostOutputs = 0, hostAliased = 0, hostTemporaries = 0;
  int64_t peak = 0;
};

struct BufferDestroy {
  VINTAGE_PJRT_ARGUMENTS(BufferDestroy, buffer);
  PluginBuffer* buffer = nullptr;
};
struct BufferElementType {
  VINTAGE_PJRT_ARGUMENTS(BufferElementType, type);
  PluginBuffer* buffer = nullptr;
  int type = 0;  // Out.
};
struct BufferDimensions {
  VINTAGE_PJRT_ARGUMENTS(BufferDimensions, rank);
  PluginBuffer* buffer = nullptr;
  const int64_t* dimensions = nullptr;  // Out.
  size_t rank = 0;                      // Out.
};
struct BufferToHostBuffer {
  VINTAGE_PJRT_ARGUMENTS(BufferToHostBuffer, event);
  PluginBuffer* buffer = nullptr;
  MemoryLayout* layout = nullptr;
  void* target = nullptr;  // None: `size` comes back.
  size_t size = 0;
  PluginEvent* event = nullptr;  // Out.
};

struct TopologyDescriptionCreate {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionCreate, topology);
  const char* name = nullptr;
  size_t nameSize = 0;
  const NamedValue* options = nullptr;
  size_t optionCount = 0;
  PluginTopology* topology = nullptr;  // Out.
};
struct TopologyDescriptionDestroy {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionDestroy, topology);
  PluginTopology* topology = nullptr;
};
struct TopologyDescriptionPlatformName {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionPlatformName, nameSize);
  const PluginTopology* topology = nullptr;
  const char* name = nullptr;  // Out.
  size_t nameSize = 0;         // Out.
};
struct TopologyDescriptionPlatformVersion {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionPlatformVersion, nameSize);
  PluginTopology* topology = nullptr;
  const char* name = nullptr;  // Out.
  size_t nameSize = 0;         // Out.
};
struct TopologyDescriptionGetDeviceDescriptions {
  VINTAGE_PJRT_ARGUMENTS(TopologyDescriptionGetDeviceDescriptions, count);
  const PluginTopology* topology = nullptr;
  PluginDeviceDescription* const* descriptions = nullptr;  // Out.
  size_t count = 0;                                        // Out.
};
struct Compile {
  VINTAGE_PJRT_ARGUMENTS(Compile, executable);
  const PluginTopology* topology = nullptr;
  const PluginProgram* program = nullptr;
  const char* options = nullptr;
  size_t optionsSize = 0;
  PluginClient* client = nullptr;
  PluginExecutable* executable = nullptr;  // Out.
};

}  // namespace vintage::harness::consumers::pjrt

// The arguments of the functions of the PJRT C API: a structure each, with its place in the table.
//
// A structure announces a size that ends with its last field, without what a compiler pads
// behind it: a newer plugin would take padding for a field of its own.
#pragma once

#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

#define VINTAGE_PJRT_HEADER(slot, type, last)                                           \
  static constexpr auto kSlot = slot;                                                   \
  static constexpr size_t bytes() { return offsetof(type, last) + sizeof(type::last); } \
  size_t structSize = bytes();                                                          \
  void* extension = nullptr
#define VINTAGE_PJRT_ARGUMENTS(type, last) VINTAGE_PJRT_HEADER(Slot::k##type, type, last)

// Most functions take one of these shapes. `kPlace` is theirs in the table, or in one of an
// extension.

// Something is done to an object.
template <auto kPlace, typename Object>
struct ObjectArguments {
  VINTAGE_PJRT_HEADER(kPlace, ObjectArguments, object);
  Object* object = nullptr;
};
// An object is asked for a value.
template <auto kPlace, typename Object, typename Value>
struct ValueArguments {
  VINTAGE_PJRT_HEADER(kPlace, ValueArguments, value);
  Object* object = nullptr;
  Value value = {};  // Out.
};
// An object is asked for a list, or a text, that stays its own.
template <auto kPlace, typename Object, typename Item>
struct ListArguments {
  VINTAGE_PJRT_HEADER(kPlace, ListArguments, count);
  Object* object = nullptr;
  const Item* items = nullptr;  // Out.
  size_t count = 0;             // Out.
};
// As ListArguments, in the other order.
template <auto kPlace, typename Object, typename Item>
struct CountedArguments {
  VINTAGE_PJRT_HEADER(kPlace, CountedArguments, items);
  Object* object = nullptr;
  size_t count = 0;             // Out.
  const Item* items = nullptr;  // Out.
};
// An object is asked for its bytes.
template <auto kPlace, typename Object, typename Holder>
struct SerializeArguments {
  VINTAGE_PJRT_HEADER(kPlace, SerializeArguments, destroy);
  Object* object = nullptr;
  const char* serialized = nullptr;           // Out.
  size_t serializedSize = 0;                  // Out.
  Holder* holder = nullptr;                   // Out.
  void (*destroy)(Holder* holder) = nullptr;  // Out.
};
// A client is asked for the device of a number.
template <auto kPlace, typename Object>
struct LookupArguments {
  VINTAGE_PJRT_HEADER(kPlace, LookupArguments, device);
  Object* object = nullptr;
  int id = 0;
  PluginDevice* device = nullptr;  // Out.
};
// A buffer is copied to a device or a memory.
template <auto kPlace, typename Object, typename Place>
struct CopyArguments {
  VINTAGE_PJRT_HEADER(kPlace, CopyArguments, copy);
  Object* object = nullptr;
  Place* place = nullptr;
  Object* copy = nullptr;  // Out.
};

// `name` in the table has one of these shapes.
#define VINTAGE_PJRT(shape, name, ...) using name = shape##Arguments<Slot::k##name, __VA_ARGS__>

VINTAGE_PJRT(Object, ErrorDestroy, PluginError);
VINTAGE_PJRT(List, ErrorMessage, const PluginError, char);
VINTAGE_PJRT(Value, ErrorGetCode, const PluginError, int);

struct PluginInitialize {
  VINTAGE_PJRT_ARGUMENTS(PluginInitialize, extension);
};
struct PluginAttributes {
  VINTAGE_PJRT_ARGUMENTS(PluginAttributes, count);
  const NamedValue* attributes = nullptr;  // Out.
  size_t count = 0;                        // Out.
};

VINTAGE_PJRT(Object, EventDestroy, PluginEvent);
VINTAGE_PJRT(Object, EventAwait, PluginEvent);

struct ClientCreate {
  VINTAGE_PJRT_ARGUMENTS(ClientCreate, tryGetArgument);
  const NamedValue* options = nullptr;
  size_t optionCount = 0;
  void *get = nullptr, *getArgument = nullptr, *put = nullptr, *putArgument = nullptr;
  PluginClient* client = nullptr;  // Out.
  void *tryGet = nullptr, *tryGetArgument = nullptr;
};

VINTAGE_PJRT(Object, ClientDestroy, PluginClient);
VINTAGE_PJRT(List, ClientPlatformName, PluginClient, char);
VINTAGE_PJRT(List, ClientPlatformVersion, PluginClient, char);
VINTAGE_PJRT(List, ClientAddressableDevices, PluginClient, PluginDevice*);

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

VINTAGE_PJRT(Value, DeviceGetDescription, PluginDevice, PluginDeviceDescription*);
VINTAGE_PJRT(Value, DeviceDescriptionId, PluginDeviceDescription, int);
VINTAGE_PJRT(List, DeviceDescriptionKind, PluginDeviceDescription, char);
VINTAGE_PJRT(Object, LoadedExecutableDestroy, PluginLoadedExecutable);
VINTAGE_PJRT(Value, LoadedExecutableGetExecutable, PluginLoadedExecutable, PluginExecutable*);

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

VINTAGE_PJRT(Object, ExecutableDestroy, PluginExecutable);
VINTAGE_PJRT(Value, ExecutableNumOutputs, PluginExecutable, size_t);

struct ExecutableGetCompiledMemoryStats {
  VINTAGE_PJRT_ARGUMENTS(ExecutableGetCompiledMemoryStats, peak);
  PluginExecutable* executable = nullptr;
  // All are out.
  int64_t code = 0, arguments = 0, outputs = 0, aliased = 0, temporaries = 0;
  int64_t hostCode = 0, hostArguments = 0, hostOutputs = 0, hostAliased = 0, hostTemporaries = 0;
  int64_t peak = 0;
};

VINTAGE_PJRT(Object, BufferDestroy, PluginBuffer);
VINTAGE_PJRT(Value, BufferElementType, PluginBuffer, int);
VINTAGE_PJRT(List, BufferDimensions, PluginBuffer, int64_t);

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

VINTAGE_PJRT(Object, TopologyDescriptionDestroy, PluginTopology);
VINTAGE_PJRT(List, TopologyDescriptionPlatformName, const PluginTopology, char);
VINTAGE_PJRT(List, TopologyDescriptionPlatformVersion, PluginTopology, char);
VINTAGE_PJRT(List, TopologyDescriptionGetDeviceDescriptions, const PluginTopology,
             PluginDeviceDescription*);

struct Compile {
  VINTAGE_PJRT_ARGUMENTS(Compile, executable);
  const PluginTopology* topology = nullptr;
  const PluginProgram* program = nullptr;
  const char* options = nullptr;
  size_t optionsSize = 0;
  PluginClient* client = nullptr;
  PluginExecutable* executable = nullptr;  // Out.
};

}  // namespace vintage::harness

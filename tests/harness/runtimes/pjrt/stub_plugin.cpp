// A PJRT plugin that compiles nothing: the name of a module decides what it does. Its programs give
// their arguments back. It has two devices, and compiles for the four of the topology "grid:2x2",
// or for one GPU of any kind.
//
//   echo          gives the arguments back
//   refuse_TEXT   does not compile it: NOT_FOUND, UNIMPLEMENTED, unregistered, …
//   fail_running  RESOURCE_EXHAUSTED when it runs
//   call_TARGET   gives what a registered handler made of the argument (stub_ffi.h)
//   abort_compiling, abort_running, hang
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/runtimes/pjrt/c_api_arguments.h"
#include "tests/harness/runtimes/pjrt/stub_ffi.h"

#ifndef STUB_API_MINOR
#define STUB_API_MINOR 81
#endif

namespace vintage::harness {

struct PluginBuffer {
  int type;
  std::vector<int64_t> dimensions;
  std::vector<char> bytes;
};
struct PluginExecutable {
  std::string program;
  size_t outputs = 0;
};
struct PluginLoadedExecutable {
  PluginExecutable executable;
  size_t devices = 1;
};
struct PluginDevice {
  int id;
};
struct PluginTopology {
  std::vector<PluginDevice> devices;
  std::vector<PluginDeviceDescription*> descriptions;
};
struct PluginClient {
  std::vector<PluginDevice> devices{{0}, {1}};
  std::vector<PluginDevice*> pointers{&devices[0], &devices[1]};
};

namespace {

constexpr const char* kPlatform = "cpu";

PluginError* error(int code, std::string message) {
  return new PluginError{code, std::move(message)};
}

size_t elementBytes(int type) {
  return type == 11 || type == 4 ? 4 : type == 12 || type == 5 ? 8 : 1;
}

void errorDestroy(ErrorDestroy* args) { delete args->object; }
void errorMessage(ErrorMessage* args) {
  args->items = args->object->message.data();
  args->count = args->object->message.size();
}
PluginError* errorGetCode(ErrorGetCode* args) {
  args->value = args->object->code;
  return nullptr;
}
PluginError* initialize(PluginInitialize*) { return nullptr; }
PluginError* attributes(PluginAttributes* args) {
  static const int64_t version[] = {1, 9, 0};
  static NamedValue value = [] {
    NamedValue made{};
    made.name = "stablehlo_current_version";
    made.nameSize = std::strlen(made.name);
    made.type = NamedValue::Type::kInt64List;
    made.integers = version;
    made.valueSize = 3;
    return made;
  }();
  args->attributes = &value;
  args->count = 1;
  return nullptr;
}

PluginError* clientCreate(ClientCreate* args) {
  for (size_t i = 0; i < args->optionCount; ++i) {
    const NamedValue& option = args->options[i];
    const std::string name(option.name, option.nameSize);
    if (name == "no_device") return error(kNotFound, "no accelerator found");
    if (name != "level" || option.type != NamedValue::Type::kInt64)
      return error(kInvalid, "unknown option " + name);
  }
  args->client = new PluginClient;
  return nullptr;
}
PluginError* clientDestroy(ClientDestroy* args) {
  delete args->object;
  return nullptr;
}
PluginError* platformName(ClientPlatformName* args) {
  args->items = kPlatform;
  args->count = std::strlen(kPlatform);
  return nullptr;
}
PluginError* platformVersion(ClientPlatformVersion* args) {
  args->items = "stub";
  args->count = 4;
  return nullptr;
}
PluginError* devices(ClientAddressableDevices* args) {
  args->items = args->object->pointers.data();
  args->count = args->object->pointers.size();
  return nullptr;
}
PluginError* describe(DeviceGetDescription* args) {
  args->value = reinterpret_cast<PluginDeviceDescription*>(args->object);
  return nullptr;
}
PluginError* deviceId(DeviceDescriptionId* args) {
  args->value = reinterpret_cast<PluginDevice*>(args->object)->id;
  return nullptr;
}

bool says(const std::string& program, const char* word) {
  return program.find(word) != std::string::npos;
}

PluginError* refusal(const std::string& program) {
  if (!program.starts_with("ML\xefR")) return error(kInvalid, "Failed to parse: no bytecode");
  if (says(program, "refuse_NOT_FOUND"))
    return error(kNotFound, "No registered implementation for custom call to foo");
  if (says(program, "refuse_UNIMPLEMENTED")) return error(kUnimplemented, "no such sort");
  if (says(program, "refuse_unregistered"))
    return error(kUnknown, "unregistered operation 'vhlo.new_v9' found in dialect ('vhlo')");
  if (says(program, "abort_compiling")) std::abort();
  if (says(program, "hang")) std::this_thread::sleep_for(std::chrono::hours(1));
  return nullptr;
}

PluginError* clientCompile(ClientCompile* args) {
  const std::string program(args->program->code, args->program->codeSize);
  if (PluginError* refused = refusal(program)) return refused;
  args->executable = new PluginLoadedExecutable{{program, 1}, 1};
  return nullptr;
}
PluginError* topologyCreate(TopologyDescriptionCreate* args) {
  bool config = false;
  for (size_t i = 0; i < args->optionCount; ++i) {
    const NamedValue& option = args->options[i];
    const std::string name(option.name, option.nameSize);
    if (name != "target_config") continue;
    config = true;
    if (std::string(option.text, option.valueSize).find("core_count") == std::string::npos)
      return error(kInvalid, "no core_count in target_config");
  }
  const std::string name(args->name, args->nameSize);
  if (name != (config ? "" : "grid:2x2")) return error(kNotFound, "no topology " + name);
  auto* topology = new PluginTopology;
  for (int id = 0; id < (config ? 1 : 4); ++id) topology->devices.push_back({id});
  for (PluginDevice& device : topology->devices)
    topology->descriptions.push_back(reinterpret_cast<PluginDeviceDescription*>(&device));
  args->topology = topology;
  return nullptr;
}
PluginError* topologyDestroy(TopologyDescriptionDestroy* args) {
  delete args->object;
  return nullptr;
}
PluginError* topologyPlatform(TopologyDescriptionPlatformName* args) {
  args->items = "tpu";
  args->count = 3;
  return nullptr;
}
PluginError* topologyVersion(TopologyDescriptionPlatformVersion* args) {
  args->items = "stub";
  args->count = 4;
  return nullptr;
}
PluginError* topologyDevices(TopologyDescriptionGetDeviceDescriptions* args) {
  args->items = args->object->descriptions.data();
  args->count = args->object->descriptions.size();
  return nullptr;
}
PluginError* compile(Compile* args) {
  const std::string program(args->program->code, args->program->codeSize);
  if (PluginError* refused = refusal(program)) return refused;
  args->executable = new PluginExecutable{program, 1};
  return nullptr;
}
PluginError* memoryStats(ExecutableGetCompiledMemoryStats* args) {
  args->code = 100;
  args->temporaries = 8;
  return nullptr;
}
PluginError* loadedDestroy(LoadedExecutableDestroy* args) {
  delete args->object;
  return nullptr;
}
PluginError* getExecutable(LoadedExecutableGetExecutable* args) {
  args->value = new PluginExecutable(args->object->executable);
  return nullptr;
}
PluginError* executableDestroy(ExecutableDestroy* args) {
  delete args->object;
  return nullptr;
}
PluginError* numOutputs(ExecutableNumOutputs* args) {
  args->value = args->object->outputs;
  return nullptr;
}

PluginError* fromHost(ClientBufferFromHostBuffer* args) {
  auto* buffer =
      new PluginBuffer{args->type, {args->dimensions, args->dimensions + args->rank}, {}};
  size_t count = elementBytes(args->type);
  for (int64_t size : buffer->dimensions) count *= static_cast<size_t>(size);
  const auto* data = static_cast<const char*>(args->data);
  buffer->bytes.assign(data, data + count);
  args->buffer = buffer;
  return nullptr;
}
PluginError* toHost(BufferToHostBuffer* args) {
  const std::vector<char>& bytes = args->buffer->bytes;
  if (!args->target)
    args->size = bytes.size();
  else
    std::memcpy(args->target, bytes.data(), bytes.size());
  return nullptr;
}
// TARGET of a module "call_TARGET"; empty: it calls none.
std::string calledTarget(const std::string& program) {
  constexpr std::string_view kCall = "call_lapack_";
  const size_t at = program.find(kCall);
  if (at == program.npos) return "";
  const size_t begin = at + std::strlen("call_");
  const size_t end = program.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", begin);
  return program.substr(begin, end - begin);
}

PluginError* execute(LoadedExecutableExecute* args) {
  if (says(args->executable->executable.program, "abort_running")) std::abort();
  if (says(args->executable->executable.program, "fail_running"))
    return error(kExhausted, "out of device memory");
  const std::string target = calledTarget(args->executable->executable.program);
  for (size_t d = 0; d < args->devices; ++d) {
    auto* result = new PluginBuffer(*args->arguments[d][0]);
    args->outputs[d][0] = result;
    if (target.empty()) continue;
    if (PluginError* refused = callStubTarget(target, result->dimensions[0], result->bytes)) {
      delete result;
      return refused;
    }
  }
  return nullptr;
}
PluginError* bufferDestroy(BufferDestroy* args) {
  delete args->object;
  return nullptr;
}
PluginError* bufferType(BufferElementType* args) {
  args->value = args->object->type;
  return nullptr;
}
PluginError* bufferDimensions(BufferDimensions* args) {
  args->items = args->object->dimensions.data();
  args->count = args->object->dimensions.size();
  return nullptr;
}

template <typename Function>
void set(Api& api, Slot slot, Function* function) {
  api.functions[static_cast<size_t>(slot)] = reinterpret_cast<AnyFunction>(function);
}

Api makeApi() {
  Api api{};
  api.structSize = sizeof(Api);
  api.extension = stubExtension();
  api.version = {sizeof(ApiVersion), nullptr, 0, STUB_API_MINOR};
  set(api, Slot::kErrorDestroy, errorDestroy);
  set(api, Slot::kErrorMessage, errorMessage);
  set(api, Slot::kErrorGetCode, errorGetCode);
  set(api, Slot::kPluginInitialize, initialize);
  set(api, Slot::kPluginAttributes, attributes);
  set(api, Slot::kClientCreate, clientCreate);
  set(api, Slot::kClientDestroy, clientDestroy);
  set(api, Slot::kClientPlatformName, platformName);
  set(api, Slot::kClientPlatformVersion, platformVersion);
  set(api, Slot::kClientAddressableDevices, devices);
  set(api, Slot::kDeviceGetDescription, describe);
  set(api, Slot::kDeviceDescriptionId, deviceId);
  set(api, Slot::kClientCompile, clientCompile);
  set(api, Slot::kLoadedExecutableDestroy, loadedDestroy);
  set(api, Slot::kLoadedExecutableGetExecutable, getExecutable);
  set(api, Slot::kExecutableDestroy, executableDestroy);
  set(api, Slot::kExecutableNumOutputs, numOutputs);
  set(api, Slot::kClientBufferFromHostBuffer, fromHost);
  set(api, Slot::kBufferToHostBuffer, toHost);
  set(api, Slot::kLoadedExecutableExecute, execute);
  set(api, Slot::kBufferDestroy, bufferDestroy);
  set(api, Slot::kBufferElementType, bufferType);
  set(api, Slot::kBufferDimensions, bufferDimensions);
  set(api, Slot::kTopologyDescriptionCreate, topologyCreate);
  set(api, Slot::kTopologyDescriptionDestroy, topologyDestroy);
  set(api, Slot::kTopologyDescriptionPlatformName, topologyPlatform);
  set(api, Slot::kTopologyDescriptionPlatformVersion, topologyVersion);
  set(api, Slot::kTopologyDescriptionGetDeviceDescriptions, topologyDevices);
  set(api, Slot::kCompile, compile);
  set(api, Slot::kExecutableGetCompiledMemoryStats, memoryStats);
  return api;
}

}  // namespace
}  // namespace vintage::harness

extern "C" const vintage::harness::Api* GetPjrtApi() {
  static const auto api = vintage::harness::makeApi();
  return &api;
}

#include "harness/runtimes/pjrt/client.h"

#include <cstdint>
#include <numeric>

#include "golden/base/failures.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;

namespace {

void appendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void appendNumber(std::string& out, unsigned field, int64_t value) {
  appendVarint(out, uint64_t{field} << 3);
  appendVarint(out, static_cast<uint64_t>(value));
}

void appendMessage(std::string& out, unsigned field, const std::string& message) {
  appendVarint(out, uint64_t{field} << 3 | 2);
  appendVarint(out, message.size());
  out += message;
}

}  // namespace

Result<Client> Client::create(const Plugin& plugin, const std::vector<PluginOption>& options) {
  const std::vector<NamedValue> values = namedValues(options);
  ClientCreate create;
  create.options = values.data();
  create.optionCount = values.size();
  if (Status status = plugin.call(create); !status)
    return ioError("the plugin makes no client: {}", status.error().message);
  Client client(plugin, own<ClientDestroy>(plugin, create.client));
  ASSIGN_OR_RETURN(client.platform_, plugin.text<ClientPlatformName>(create.client));
  ASSIGN_OR_RETURN(client.version_, plugin.text<ClientPlatformVersion>(create.client));
  ASSIGN_OR_RETURN(const auto devices, plugin.call<ClientAddressableDevices>(create.client));
  for (PluginDevice* device : devices) {
    ASSIGN_OR_RETURN(auto* description, plugin.call<DeviceGetDescription>(device));
    ASSIGN_OR_RETURN(const int id, plugin.call<DeviceDescriptionId>(description));
    client.devices_.push_back(device);
    client.ids_.push_back(id);
  }
  if (devices.empty()) return ioError("the plugin has no device here");
  return client;
}

Result<LoadedProgram> Client::compile(std::span<const std::byte> module, size_t devices,
                                      bool shardy) const {
  if (devices > devices_.size())
    return unsupported("it was exported for {} devices; the plugin has {} here", devices,
                       devices_.size());
  ClientCompile compile;
  compile.client = client_.get();
  RETURN_IF_ERROR(callCompile(plugin_, module, std::span(ids_).first(devices), shardy, compile));
  return LoadedProgram(plugin_, own<LoadedExecutableDestroy>(plugin_, compile.executable),
                       {devices_.begin(), devices_.begin() + static_cast<ptrdiff_t>(devices)},
                       client_.get());
}

std::optional<archive::CompilerMemory> memoryOf(const Plugin& plugin,
                                                PluginExecutable* executable) {
  ExecutableGetCompiledMemoryStats stats;
  stats.executable = executable;
  if (!plugin.call(stats)) return std::nullopt;
  return archive::CompilerMemory{stats.temporaries, stats.code, stats.arguments, stats.outputs};
}

std::optional<archive::CompilerMemory> LoadedProgram::memory() const {
  const auto handle = plugin_.call<LoadedExecutableGetExecutable>(executable_.get());
  if (!handle) return std::nullopt;
  const auto executable = own<ExecutableDestroy>(plugin_, *handle);
  return memoryOf(plugin_, executable.get());
}

Result<size_t> LoadedProgram::outputCount() const {
  ASSIGN_OR_RETURN(auto* handle, plugin_.call<LoadedExecutableGetExecutable>(executable_.get()));
  const auto executable = own<ExecutableDestroy>(plugin_, handle);
  return plugin_.call<ExecutableNumOutputs>(executable.get());
}

Result<OwnedBuffer> LoadedProgram::toDevice(const Tensor& tensor, PluginDevice* device) const {
  ClientBufferFromHostBuffer transfer;
  transfer.client = client_;
  transfer.data = tensor.bytes().data();
  transfer.type = elementCode(tensor.type());
  transfer.dimensions = tensor.shape().data();
  transfer.rank = tensor.shape().size();
  transfer.device = device;
  RETURN_IF_ERROR(plugin_.call(transfer));
  auto buffer = own<BufferDestroy>(plugin_, transfer.buffer);
  RETURN_IF_ERROR(plugin_.await(transfer.done));
  return buffer;
}

Result<Tensor> LoadedProgram::toHost(PluginBuffer* buffer) const {
  ASSIGN_OR_RETURN(const int code, plugin_.call<BufferElementType>(buffer));
  const auto element = elementOfCode(code);
  if (!element) return unsupported("the plugin gives values of its element type {}", code);
  ASSIGN_OR_RETURN(const auto dimensions, plugin_.call<BufferDimensions>(buffer));
  Shape shape(dimensions.begin(), dimensions.end());
  ASSIGN_OR_RETURN(auto tensor, Tensor::make(*element, std::move(shape)));
  // Dense and row-major, as tensors are here.
  std::vector<int64_t> minorToMajor(dimensions.size());
  std::iota(minorToMajor.rbegin(), minorToMajor.rend(), 0);
  MemoryLayout layout = memoryLayout(minorToMajor);
  BufferToHostBuffer transfer;
  transfer.buffer = buffer;
  transfer.layout = &layout;
  RETURN_IF_ERROR(plugin_.call(transfer));
  const size_t expected = tensor.bytes().size();
  if (transfer.size > expected)
    return badInput("the plugin gives {} as {} bytes", describe(tensor), transfer.size);
  transfer.target = tensor.mutableBytes().data();
  transfer.size = expected;
  RETURN_IF_ERROR(plugin_.call(transfer));
  RETURN_IF_ERROR(plugin_.await(transfer.event));
  return tensor;
}

Result<DeviceValues> LoadedProgram::run(const DeviceValues& arguments, Meter& meter) const {
  ASSIGN_OR_RETURN(const size_t outputs, outputCount());
  const size_t devices = devices_.size();
  std::vector<OwnedBuffer> held;
  std::vector<std::vector<PluginBuffer*>> given(devices), taken(devices);
  for (size_t d = 0; d < devices; ++d) {
    for (const Tensor& argument : arguments[d]) {
      ASSIGN_OR_RETURN(auto buffer, toDevice(argument, devices_[d]));
      given[d].push_back(buffer.get());
      held.push_back(std::move(buffer));
    }
    taken[d].resize(outputs);
  }
  std::vector<PluginBuffer* const*> givenLists;
  std::vector<PluginBuffer**> takenLists;
  for (size_t d = 0; d < devices; ++d) {
    givenLists.push_back(given[d].data());
    takenLists.push_back(taken[d].data());
  }
  // An argument that was donated would be gone for the second run.
  std::vector<int64_t> notDonated(meter.measures() ? given.front().size() : 0);
  std::iota(notDonated.begin(), notDonated.end(), 0);
  ExecuteOptions options{};
  options.structSize = offsetof(ExecuteOptions, incarnationIds) + sizeof(options.incarnationIds);
  options.inputsNotDonated = notDonated.data();
  options.inputsNotDonatedSize = notDonated.size();
  std::vector<PluginEvent*> done(devices);
  LoadedExecutableExecute execute;
  execute.executable = executable_.get();
  execute.options = &options;
  execute.arguments = givenLists.data();
  execute.devices = devices;
  execute.argumentCount = given.front().size();
  execute.outputs = takenLists.data();
  execute.done = done.data();
  std::vector<OwnedBuffer> results;
  RETURN_IF_ERROR(meter.run([&]() -> Status {
    results.clear();
    RETURN_IF_ERROR(plugin_.call(execute));
    for (const auto& list : taken)
      for (PluginBuffer* buffer : list) results.push_back(own<BufferDestroy>(plugin_, buffer));
    Status ran;
    for (PluginEvent* event : done)
      if (Status status = plugin_.await(event); !status && ran) ran = std::move(status);
    return ran;
  }));
  DeviceValues values(devices);
  for (size_t d = 0; d < devices; ++d)
    for (PluginBuffer* buffer : taken[d]) {
      ASSIGN_OR_RETURN(values[d].emplace_back(), toHost(buffer));
    }
  return values;
}

std::string encodeCompileOptions(std::span<const int> devices, bool shardy) {
  const auto partitions = static_cast<int64_t>(devices.size());
  std::string assignment;                   // DeviceAssignmentProto
  appendNumber(assignment, 1, 1);           // replica_count
  appendNumber(assignment, 2, partitions);  // computation_count
  for (const int device : devices) {
    std::string id, ids;
    appendVarint(id, static_cast<uint64_t>(device));
    appendMessage(ids, 1, id);          // replica_device_ids, a packed list
    appendMessage(assignment, 3, ids);  // computation_devices
  }
  std::string build;                       // ExecutableBuildOptionsProto
  appendNumber(build, 1, -1);              // device_ordinal: as the assignment says
  appendNumber(build, 4, 1);               // num_replicas
  appendNumber(build, 5, partitions);      // num_partitions
  appendNumber(build, 6, partitions > 1);  // use_spmd_partitioning
  appendMessage(build, 9, assignment);     // device_assignment
  // An output without a sharding of its own is whole on each device, as far as XLA heeds this.
  appendMessage(build, 12, std::string(1, '\0'));  // allow_spmd_sharding_propagation_to_output
  if (shardy) appendNumber(build, 19, 1);          // use_shardy_partitioner
  std::string proto;
  appendMessage(proto, 3, build);  // executable_build_options
  return proto;
}

}  // namespace vintage::harness

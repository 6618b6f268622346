// A plugin's devices: programs compiled for them and executed on them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/meter.h"
#include "harness/runtimes/pjrt/plugin.h"

namespace vintage::harness {

// For each device its values.
using DeviceValues = std::vector<std::vector<golden::Tensor>>;

// None: the plugin's compiler does not report it.
std::optional<archive::CompilerMemory> memoryOf(const Plugin& plugin, PluginExecutable* executable);

// A compiled program on devices of a client, which must outlive it.
class LoadedProgram {
 public:
  // Arguments that the program donates are gone for the plugin; the tensors here are not
  // touched. kUnsupported: an element type that the API does not have. `meter` measures the
  // execution alone, without the way to the devices and back.
  Result<DeviceValues> run(const DeviceValues& arguments, Meter& meter) const;
  std::optional<archive::CompilerMemory> memory() const;

 private:
  friend class Client;
  LoadedProgram(const Plugin& plugin, OwnedLoadedExecutable executable,
                std::vector<PluginDevice*> devices, PluginClient* client)
      : plugin_(plugin),
        executable_(std::move(executable)),
        devices_(std::move(devices)),
        client_(client) {}
  Result<OwnedBuffer> toDevice(const golden::Tensor& tensor, PluginDevice* device) const;
  Result<golden::Tensor> toHost(PluginBuffer* buffer) const;
  Result<size_t> outputCount() const;

  const Plugin& plugin_;
  OwnedLoadedExecutable executable_;
  std::vector<PluginDevice*> devices_;
  PluginClient* client_;
};

class Client {
 public:
  // kIo: the plugin cannot make one here (no device, an option that it does not take).
  static Result<Client> create(const Plugin& plugin, const std::vector<PluginOption>& options);

  const std::string& platform() const { return platform_; }  // "cpu"
  const std::string& platformVersion() const { return version_; }
  size_t deviceCount() const { return devices_.size(); }

  // A portable artifact for the first `devices` devices.
  Result<LoadedProgram> compile(std::span<const std::byte> module, size_t devices,
                                bool shardy) const;

 private:
  Client(const Plugin& plugin, OwnedClient client) : plugin_(plugin), client_(std::move(client)) {}

  const Plugin& plugin_;
  OwnedClient client_;
  std::string platform_, version_;
  std::vector<PluginDevice*> devices_;
  std::vector<int> ids_;
};

// How a program is to be compiled, as plugins read it: XLA's CompileOptionsProto. It is partitioned
// over `devices`, which are ids; `shardy`: its shardings are those of the sdy dialect. Eight fields
// are written, all of them numbers, by an encoder of our own: a protobuf library would have to
// share the process with the one inside each plugin.
std::string encodeCompileOptions(std::span<const int> devices, bool shardy);

// Has a portable artifact compiled so, by ClientCompile or Compile.
template <typename Arguments>
Status callCompile(const Plugin& plugin, std::span<const std::byte> module,
                   std::span<const int> devices, bool shardy, Arguments& compile) {
  const std::string options = encodeCompileOptions(devices, shardy);
  constexpr std::string_view kFormat = "mlir";
  PluginProgram program{};
  program.structSize = offsetof(PluginProgram, formatSize) + sizeof(program.formatSize);
  program.code = reinterpret_cast<const char*>(module.data());
  program.codeSize = module.size();
  program.format = kFormat.data();
  program.formatSize = kFormat.size();
  compile.program = &program;
  compile.options = options.data();
  compile.optionsSize = options.size();
  return plugin.call(compile);
}

}  // namespace vintage::harness

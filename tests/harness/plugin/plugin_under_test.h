// The plugin's table, called in this process as a client would.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/tensor/tensor.h"
#include "harness/plugin/entry.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"
#include "harness/runtimes/pjrt/client.h"

namespace vintage::tests {

// The result of a function: a code of absl::StatusCode (0: OK) and its message.
struct Answer {
  int code = 0;
  std::string message;
};

inline Answer takeAnswer(harness::PluginError* error) {
  if (!error) return {};
  const harness::Api& api = harness::apiTable();
  const auto function = [&](harness::Slot slot) {
    return reinterpret_cast<harness::PluginError* (*)(void*)>(
        api.functions[static_cast<size_t>(slot)]);
  };
  harness::ErrorGetCode code;
  code.object = error;
  EXPECT_EQ(function(harness::Slot::kErrorGetCode)(&code), nullptr);
  harness::ErrorMessage message;
  message.object = error;
  reinterpret_cast<void (*)(void*)>(
      api.functions[static_cast<size_t>(harness::Slot::kErrorMessage)])(&message);
  Answer answer{code.value, std::string(message.items, message.count)};
  harness::ErrorDestroy destroy;
  destroy.object = error;
  reinterpret_cast<void (*)(void*)>(
      api.functions[static_cast<size_t>(harness::Slot::kErrorDestroy)])(&destroy);
  return answer;
}

inline Answer callSlot(harness::Slot slot, void* arguments) {
  const auto function = reinterpret_cast<harness::PluginError* (*)(void*)>(
      harness::apiTable().functions[static_cast<size_t>(slot)]);
  return takeAnswer(function(arguments));
}

template <typename Arguments>
Answer call(Arguments& arguments) {
  return callSlot(Arguments::kSlot, &arguments);
}

constexpr int kOk = 0, kInvalidArgument = 3, kNotFound = 5, kResourceExhausted = 8,
              kFailedPrecondition = 9, kUnimplemented = 12;

inline harness::NamedValue textOption(const std::string& name, const std::string& value) {
  harness::NamedValue option{};
  option.structSize = sizeof(option);
  option.name = name.data();
  option.nameSize = name.size();
  option.type = harness::NamedValue::Type::kString;
  option.text = value.data();
  option.valueSize = value.size();
  return option;
}

// The extension of this type; null where the plugin has none.
inline void* extensionOfType(int type) {
  struct Base {
    size_t structSize;
    int type;
    void* next;
  };
  void* extension = harness::apiTable().extension;
  while (extension && static_cast<Base*>(extension)->type != type)
    extension = static_cast<Base*>(extension)->next;
  return extension;
}

inline std::string varint(uint64_t value) { return std::string(1, static_cast<char>(value)); }

// CompileOptionsProto: a device for each replica, or for each partition.
inline std::string onDevices(int replicas, int partitions, const std::string& more = {}) {
  std::string computations;
  for (int partition = 0; partition < partitions; ++partition) {
    std::string ids;
    for (int replica = 0; replica < replicas; ++replica)
      ids += varint(static_cast<uint64_t>(int64_t{replica} * partitions + partition));
    const std::string packed = "\x0a" + varint(ids.size()) + ids;
    computations += "\x1a" + varint(packed.size()) + packed;
  }
  const std::string assignment = "\x08" + varint(static_cast<uint64_t>(replicas)) + "\x10" +
                                 varint(static_cast<uint64_t>(partitions)) + computations;
  const std::string build = "\x20" + varint(static_cast<uint64_t>(replicas)) + "\x28" +
                            varint(static_cast<uint64_t>(partitions)) + "\x4a" +
                            varint(assignment.size()) + assignment + more;
  return "\x1a" + varint(build.size()) + build;
}

// A client with its options, and what is done with it in most tests.
class PluginTest : public testing::Test {
 protected:
  ~PluginTest() override {
    for (harness::PluginLoadedExecutable* executable : executables_) {
      harness::LoadedExecutableDestroy destroy;
      destroy.object = executable;
      call(destroy);
    }
    for (harness::PluginBuffer* buffer : buffers_) {
      harness::BufferDestroy destroy;
      destroy.object = buffer;
      call(destroy);
    }
    if (client_) {
      harness::ClientDestroy destroy;
      destroy.object = client_;
      call(destroy);
    }
  }

  Answer makeClient(const std::vector<std::pair<std::string, std::string>>& options = {}) {
    std::vector<harness::NamedValue> values;
    for (const auto& [name, value] : options) values.push_back(textOption(name, value));
    harness::ClientCreate create;
    create.options = values.data();
    create.optionCount = values.size();
    const Answer answer = call(create);
    client_ = create.client;
    return answer;
  }

  harness::PluginDevice* device(int id = 0) {
    harness::ClientLookupDevice look;
    look.object = client_;
    look.id = id;
    EXPECT_EQ(call(look).code, kOk);
    return look.device;
  }

  harness::PluginBuffer* buffer(const golden::Tensor& tensor, int code, int onDevice = 0) {
    harness::ClientBufferFromHostBuffer transfer;
    transfer.client = client_;
    transfer.data = tensor.bytes().data();
    transfer.type = code;
    transfer.dimensions = tensor.shape().data();
    transfer.rank = tensor.shape().size();
    transfer.device = device(onDevice);
    const Answer answer = call(transfer);
    EXPECT_EQ(answer.code, kOk) << answer.message;
    endEvent(transfer.done);
    buffers_.push_back(transfer.buffer);
    return transfer.buffer;
  }
  harness::PluginBuffer* floats(const std::vector<float>& values, int onDevice = 0) {
    golden::Tensor tensor(golden::ElementType::kF32, {static_cast<int64_t>(values.size())});
    std::ranges::copy(values, tensor.mutableValues<float>().begin());
    return buffer(tensor, 11, onDevice);
  }

  std::vector<float> floatsOf(harness::PluginBuffer* buffer) {
    harness::BufferToHostBuffer transfer;
    transfer.buffer = buffer;
    EXPECT_EQ(call(transfer).code, kOk);
    std::vector<float> values(transfer.size / sizeof(float));
    transfer.target = values.data();
    const Answer answer = call(transfer);
    EXPECT_EQ(answer.code, kOk) << answer.message;
    endEvent(transfer.event);
    return values;
  }

  // As its bytes lie in memory.
  std::vector<float> bytesOf(harness::PluginBuffer* buffer, size_t count) {
    harness::BufferOpaqueDeviceMemoryDataPointer pointer;
    pointer.object = buffer;
    EXPECT_EQ(call(pointer).code, kOk);
    const auto* first = static_cast<const float*>(pointer.value);
    return {first, first + count};
  }
  std::vector<int64_t> orderOf(harness::PluginBuffer* buffer) {
    harness::BufferGetMemoryLayout layout;
    layout.object = buffer;
    EXPECT_EQ(call(layout).code, kOk);
    const harness::TiledLayout& tiled = layout.value.tiled;
    return {tiled.minorToMajor, tiled.minorToMajor + tiled.minorToMajorSize};
  }

  Answer compile(const std::string& code, const std::string& options = {},
                 const std::string& format = "mlir") {
    harness::PluginProgram program{};
    program.structSize = sizeof(program);
    program.code = code.data();
    program.codeSize = code.size();
    program.format = format.data();
    program.formatSize = format.size();
    harness::ClientCompile request;
    request.client = client_;
    request.program = &program;
    request.options = options.data();
    request.optionsSize = options.size();
    const Answer answer = call(request);
    if (request.executable) executables_.push_back(request.executable);
    return answer;
  }

  // Over the devices of `rows`; the outputs of each.
  Answer run(const std::vector<std::vector<harness::PluginBuffer*>>& rows, size_t outputs,
             std::vector<std::vector<harness::PluginBuffer*>>& results) {
    std::vector<harness::PluginBuffer* const*> given;
    for (const auto& row : rows) given.push_back(row.data());
    results.assign(rows.size(), std::vector<harness::PluginBuffer*>(outputs));
    std::vector<harness::PluginBuffer**> taken;
    for (auto& row : results) taken.push_back(row.data());
    std::vector<harness::PluginEvent*> done(rows.size());
    harness::ExecuteOptions options{};
    options.structSize = sizeof(options);
    options.inputsNotDonated = notDonated_.data();
    options.inputsNotDonatedSize = notDonated_.size();
    options.sendOperations = sends_;
    harness::LoadedExecutableExecute execute;
    execute.executable = executables_.back();
    execute.options = &options;
    execute.arguments = given.data();
    execute.devices = rows.size();
    execute.argumentCount = rows.front().size();
    execute.outputs = taken.data();
    execute.done = done.data();
    const Answer answer = call(execute);
    for (const auto& row : results)
      for (harness::PluginBuffer* result : row)
        if (result) buffers_.push_back(result);
    for (harness::PluginEvent* event : done)
      if (event) endEvent(event);
    return answer;
  }

  bool isDeleted(harness::PluginBuffer* buffer) {
    harness::BufferIsDeleted ask;
    ask.object = buffer;
    EXPECT_EQ(call(ask).code, kOk);
    return ask.value;
  }

  void endEvent(harness::PluginEvent* event) {
    harness::EventIsReady ready;
    ready.object = event;
    EXPECT_EQ(call(ready).code, kOk);
    EXPECT_TRUE(ready.value);
    harness::EventDestroy destroy;
    destroy.object = event;
    EXPECT_EQ(call(destroy).code, kOk);
  }

  harness::PluginClient* client_ = nullptr;
  std::vector<harness::PluginLoadedExecutable*> executables_;
  std::vector<harness::PluginBuffer*> buffers_;
  std::vector<int64_t> notDonated_;
  size_t sends_ = 0;
};

inline const std::string kAddition = R"(module @jit_addition {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})";

inline const std::string kDonating = R"(module @jit_donating {
  func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                         %b: tensor<2xf32> {jax.buffer_donor = true},
                         %c: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %b : tensor<2xf32>
    %1 = stablehlo.add %0, %c : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
})";

inline const std::string kSharded =
    R"(module @jit_sharded attributes {mhlo.num_partitions = 2 : i32} {
  func.func public @main(%a: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"},
                         %b: tensor<4xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"},
          tensor<4xf32> {mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
})";

inline const std::string kSumOfReplicas = R"(module @jit_sum {
  func.func public @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %0 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
})";

}  // namespace vintage::tests

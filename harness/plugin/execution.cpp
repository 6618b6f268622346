#include <algorithm>
#include <span>
#include <unordered_map>

#include "golden/base/failures.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/plugin/buffers.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;

namespace {

Status checkCall(const LoadedProgramOnDevices& loaded, const LoadedExecutableExecute& call) {
  const CompiledProgram& program = *loaded.program;
  if (loaded.deleted) return conflict("{} was deleted and cannot run", program.name);
  const size_t devices = loaded.devices.size();
  if (call.devices != devices)
    return usageError("{} runs on {} devices; the call has arguments for {}", program.name, devices,
                      call.devices);
  if (call.argumentCount != program.arguments.size())
    return usageError("{} takes {} arguments; the call has {}", program.name,
                      program.arguments.size(), call.argumentCount);
  if ((!call.arguments && call.argumentCount > 0) || (!call.outputs && !program.outputs.empty()))
    return usageError("the call of {} has no lists of buffers", program.name);
  if (call.options && (call.options->sendOperations > 0 || call.options->receiveOperations > 0))
    return unsupported(
        "{} exchanges values with the host while it runs (a callback); this plugin "
        "has no host transfers",
        program.name);
  return {};
}

// The arguments that this call gives away.
std::vector<size_t> donatedBy(const CompiledProgram& program, const LoadedExecutableExecute& call) {
  std::span<const int64_t> kept;
  if (call.options && call.options->inputsNotDonated)
    kept = {call.options->inputsNotDonated, call.options->inputsNotDonatedSize};
  std::vector<size_t> donated = program.donated;
  std::erase_if(donated, [&](size_t i) {
    return std::ranges::find(kept, static_cast<int64_t>(i)) != kept.end();
  });
  return donated;
}

// A buffer that is given away is no other argument too.
Status checkDonated(const CompiledProgram& program, const LoadedExecutableExecute& call,
                    std::span<const size_t> donated) {
  if (donated.empty()) return {};
  for (size_t d = 0; d < call.devices; ++d) {
    std::unordered_map<const PluginBuffer*, size_t> given;
    for (const size_t i : donated)
      if (const auto [first, isNew] = given.try_emplace(call.arguments[d][i], i); !isNew)
        return usageError("arguments {} and {} of {} are one buffer, and both are donated",
                          first->second, i, program.name);
    for (size_t i = 0; i < call.argumentCount; ++i)
      if (const auto same = given.find(call.arguments[d][i]);
          same != given.end() && same->second != i)
        return usageError("arguments {} and {} of {} are one buffer, and one of them is donated",
                          std::min(i, same->second), std::max(i, same->second), program.name);
  }
  return {};
}

// An argument may lie in another order than the program's: its buffer knows it. Tokens have none.
Result<TensorRows> takeValues(const LoadedProgramOnDevices& loaded,
                              const LoadedExecutableExecute& call) {
  const CompiledProgram& program = *loaded.program;
  TensorRows rows(call.devices);
  for (size_t d = 0; d < call.devices; ++d) {
    for (size_t i = 0; i < call.argumentCount; ++i) {
      auto* buffer = objectOf<DeviceBuffer>(call.arguments[d][i]);
      if (!buffer) return usageError("argument {} of {} is missing", i, program.name);
      const auto place = [&] { return fmt::format("argument {} of {}", i, program.name); };
      const auto array = buffer->array();
      if (!array) return within(place(), array.error());
      if (isToken(program.arguments[i])) continue;
      ASSIGN_OR_RETURN(auto value, within(place(), fromLayout(array->tensor, array->order)));
      rows[d].push_back(std::move(value));
    }
  }
  return rows;
}

}  // namespace

Status execute(LoadedProgramOnDevices& loaded, LoadedExecutableExecute& call) {
  RETURN_IF_ERROR(checkCall(loaded, call));
  const CompiledProgram& program = *loaded.program;
  const std::vector<size_t> donated = donatedBy(program, call);
  RETURN_IF_ERROR(checkDonated(program, call, donated));
  ASSIGN_OR_RETURN(auto values, takeValues(loaded, call));
  RunOptions options;
  options.memoryLimitBytes = loaded.client->topology.settings.memoryLimitBytes;
  auto results = program.placements
                     ? program.plan.runOnDevices(*program.placements, values, options)
                     : program.plan.runParallel(program.request.grid, values, options);
  if (!results) return within(program.name, results.error());
  const auto expected = std::ranges::count_if(
      program.outputs, [](const ProgramOutput& output) { return output.code != kTokenCode; });
  for (const std::vector<Tensor>& row : *results)
    if (std::ssize(row) != expected)
      return badInput("{} gave {} results; it has {}", program.name, row.size(), expected);
  if (loaded.client->recorder) loaded.client->recorder->record(program, values, *results);

  values.clear();
  for (size_t d = 0; d < call.devices; ++d)
    for (const size_t i : donated) objectOf<DeviceBuffer>(call.arguments[d][i])->remove();
  // All are made before the client gets any.
  std::vector<std::vector<std::unique_ptr<DeviceBuffer>>> buffers(call.devices);
  for (size_t d = 0; d < call.devices; ++d) {
    EngineDevice& device =
        *objectOf<EngineDevice>(call.device && call.devices == 1 ? call.device : loaded.devices[d]);
    auto next = (*results)[d].begin();
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      const ProgramOutput& output = program.outputs[i];
      std::optional<StoredArray> array;
      if (output.code != kTokenCode) {
        const DimensionOrder& order = program.layouts.results[i];
        ASSIGN_OR_RETURN(auto laidOut, toLayout(*next, order));
        *next++ = Tensor();
        array = {std::move(laidOut), order};
        // A program may return an argument, a constant, or one value twice. A client that writes
        // to one buffer by its address must not change the others.
        Tensor& tensor = array->tensor;
        if (!tensor.unshared()) {
          ASSIGN_OR_RETURN(tensor,
                           Tensor::fromBytes(tensor.type(), tensor.shape(), tensor.bytes()));
        }
      }
      buffers[d].push_back(std::make_unique<DeviceBuffer>(
          loaded.client, device.ownMemories[output.memoryKind], std::move(array)));
    }
  }
  for (size_t d = 0; d < call.devices; ++d) {
    for (size_t i = 0; i < buffers[d].size(); ++i)
      call.outputs[d][i] = handleOf(buffers[d][i].release());
    if (call.done) call.done[d] = settledEvent();
  }
  return {};
}

}  // namespace vintage::harness

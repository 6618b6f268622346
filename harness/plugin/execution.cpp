
#include <algorithm>
#include <span>

#include "harness/plugin/buffers.h"
#include "harness/plugin/entry.h"
#include "harness/plugin/executables.h"
#include "harness/plugin/handles.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Rows = std::vector<std::vector<Tensor>>;  // For each device.

Status checkCall(const LoadedProgramOnDevices& loaded, const LoadedExecutableExecute& call) {
  const CompiledProgram& program = *loaded.program;
  if (loaded.deleted)
    return failure(Error::Kind::kConflict,
                   fmt::format("{} was deleted and is to be run", program.name));
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

Result<Rows> takeValues(const LoadedProgramOnDevices& loaded, const LoadedExecutableExecute& call) {
  Rows rows(call.devices);
  for (size_t d = 0; d < call.devices; ++d) {
    for (size_t i = 0; i < call.argumentCount; ++i) {
      auto* buffer = objectOf<DeviceBuffer>(call.arguments[d][i]);
      if (!buffer) return usageError("argument {} of {} is missing", i, loaded.program->name);
      auto value = buffer->value();
      if (!value)
        return within(fmt::format("argument {} of {}", i, loaded.program->name), value.error());
      rows[d].push_back(std::move(*value));
    }
  }
  return rows;
}

Result<Rows> runProgram(const CompiledProgram& program, const Rows& values,
                        size_t memoryLimitBytes) {
  RunOptions options;
  options.memoryLimitBytes = memoryLimitBytes;
  if (program.placements) return program.plan.runOnDevices(*program.placements, values, options);
  return program.plan.runParallel(program.request.grid, values, options);
}

void takeDonated(const CompiledProgram& program, const LoadedExecutableExecute& call) {
  std::span<const int64_t> kept;
  if (call.options && call.options->inputsNotDonated)
    kept = {call.options->inputsNotDonated, call.options->inputsNotDonatedSize};
  for (const size_t i : program.donated) {
    if (std::ranges::find(kept, static_cast<int64_t>(i)) != kept.end()) continue;
    for (size_t d = 0; d < call.devices; ++d)
      objectOf<DeviceBuffer>(call.arguments[d][i])->remove();
  }
}

Status execute(LoadedProgramOnDevices& loaded, LoadedExecutableExecute& call) {
  RETURN_IF_ERROR(checkCall(loaded, call));
  const CompiledProgram& program = *loaded.program;
  ASSIGN_OR_RETURN(auto values, takeValues(loaded, call));
  auto results = runProgram(program, values, loaded.client->topology.settings.memoryLimitBytes);
  if (!results) return within(program.name, results.error());
  if (loaded.client->recorder) loaded.client->recorder->record(program, values, *results);

  // All are made before any is given away.
  std::vector<std::vector<std::unique_ptr<DeviceBuffer>>> buffers(call.devices);
  for (size_t d = 0; d < call.devices; ++d) {
    if ((*results)[d].size() != program.outputs.size())
      return badInput("{} gave {} results; it has {}", program.name, (*results)[d].size(),
                      program.outputs.size());
    EngineDevice& device =
        *objectOf<EngineDevice>(call.device && call.devices == 1 ? call.device : loaded.devices[d]);
    for (Tensor& result : (*results)[d])
      buffers[d].push_back(
          std::make_unique<DeviceBuffer>(loaded.client, device, std::move(result)));
  }
  takeDonated(program, call);
  for (size_t d = 0; d < call.devices; ++d) {
    for (size_t i = 0; i < buffers[d].size(); ++i)
      call.outputs[d][i] = handleOf(buffers[d][i].release());
    if (call.done) call.done[d] = settledEvent();
  }
  return {};
}

}  // namespace

void answerExecution(Api& api) { answer<execute>(api); }

}  // namespace vintage::harness

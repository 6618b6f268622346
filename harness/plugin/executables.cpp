#include "harness/plugin/executables.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "harness/plugin/entry.h"
#include "harness/plugin/program_text.h"
#include "harness/plugin/sharding_messages.h"
#include "harness/runtimes/pjrt/c_api_plugin_arguments.h"

namespace vintage::harness {
using namespace golden;

namespace {

template <typename Arguments>
Result<std::shared_ptr<const CompiledProgram>> compileFor(ProgramReader& reader,
                                                          const Arguments& arguments,
                                                          const PluginSettings& settings) {
  const PluginProgram* program = arguments.program;
  if (!program || !program->code || !program->format)
    return usageError("there is no program to compile");
  if (!arguments.options && arguments.optionsSize > 0)
    return usageError("the compile options are missing");
  return compileProgram(reader, {program->code, program->codeSize},
                        {program->format, program->formatSize},
                        {arguments.options, arguments.optionsSize}, settings.mode);
}

Result<PluginLoadedExecutable*> load(EngineClient& client,
                                     std::shared_ptr<const CompiledProgram> program) {
  auto loaded = std::make_unique<LoadedProgramOnDevices>();
  const auto count = static_cast<size_t>(program->request.grid.count());
  std::vector<int> ids = program->request.devices;
  for (size_t i = ids.size(); i < count; ++i) ids.push_back(static_cast<int>(i));
  for (const int id : ids) {
    EngineDevice* device = client.devices().find(id);
    if (!device)
      return badInput(
          "the program needs device {}; this client has devices 0 to {} "
          "(VINTAGE_PLUGIN_DEVICES)",
          id, client.devices().handles.size() - 1);
    loaded->devices.push_back(handleOf(device));
  }
  loaded->client = client.shared_from_this();
  loaded->program = std::move(program);
  return handleOf(loaded.release());
}

Status compileOnClient(EngineClient& client, ClientCompile& arguments) {
  ASSIGN_OR_RETURN(auto program, compileFor(client.reader, arguments, client.topology.settings));
  ASSIGN_OR_RETURN(arguments.executable, load(client, std::move(program)));
  return {};
}

Status compileForTopology(EngineTopology& topology, Compile& arguments) {
  ProgramReader reader;
  ASSIGN_OR_RETURN(auto program, compileFor(reader, arguments, topology.settings));
  arguments.executable = handleOf(new EngineExecutable(std::move(program)));
  return {};
}

Status deserialize(EngineClient& client, ExecutableDeserializeAndLoad& arguments) {
  if (!arguments.serialized) return usageError("there is no serialized executable");
  ASSIGN_OR_RETURN(auto parts,
                   readSerializedProgram({arguments.serialized, arguments.serializedSize}));
  if (arguments.options) parts.options = {arguments.options, arguments.optionsSize};
  ASSIGN_OR_RETURN(auto program, compileProgram(client.reader, parts.code, "mlir", parts.options,
                                                client.topology.settings.mode));
  ASSIGN_OR_RETURN(arguments.executable, load(client, std::move(program)));
  return {};
}

Status serialize(EngineExecutable& executable, ExecutableSerialize& arguments) {
  giveText(serializeProgram(*executable.program), arguments);
  return {};
}

Status tellOutputMemoryKinds(EngineExecutable& executable, ExecutableOutputMemoryKinds& arguments) {
  arguments.count = executable.memoryKinds.size();
  arguments.kinds = executable.memoryKinds.data();
  arguments.kindSizes = executable.memoryKindSizes.data();
  return {};
}

Status tellCompileOptions(EngineExecutable& executable, ExecutableGetCompileOptions& arguments) {
  giveText(executable.program->options, arguments);
  return {};
}

Status tellDeviceAssignment(LoadedProgramOnDevices& loaded,
                            LoadedExecutableGetDeviceAssignment& arguments) {
  giveText(deviceAssignmentMessage(loaded.program->request), arguments);
  return {};
}

Status tellOptimizedProgram(EngineExecutable& executable, ExecutableOptimizedProgram& arguments) {
  if (!arguments.program) return usageError("there is no place for the program");
  const std::lock_guard lock(executable.textMutex);
  if (executable.text.empty()) {
    ASSIGN_OR_RETURN(executable.text, optimizedText(*executable.program));
  }
  constexpr std::string_view kFormat = "mlir";
  PluginProgram& program = *arguments.program;
  program.format = kFormat.data();
  program.formatSize = kFormat.size();
  if (!program.code) {
    program.codeSize = executable.text.size();
    return {};
  }
  if (program.codeSize < executable.text.size())
    return usageError("the program takes {} bytes; there is room for {}", executable.text.size(),
                      program.codeSize);
  std::memcpy(const_cast<char*>(program.code), executable.text.data(), executable.text.size());
  program.codeSize = executable.text.size();
  return {};
}

Status tellOutputDimensions(EngineExecutable& executable, ExecutableOutputDimensions& arguments) {
  arguments.count = executable.outputRanks.size();
  arguments.dimensions = executable.outputDimensions.data();
  arguments.ranks = executable.outputRanks.data();
  return {};
}

Status tellCompiledMemory(EngineExecutable& executable,
                          ExecutableGetCompiledMemoryStats& arguments) {
  const CompiledProgram& program = *executable.program;
  arguments.code = std::ssize(program.code);
  arguments.arguments = program.argumentBytes;
  arguments.outputs = program.outputBytes;
  arguments.aliased = program.aliasedBytes;
  arguments.temporaries = 0;
  arguments.hostCode = arguments.hostArguments = arguments.hostOutputs = 0;
  arguments.hostAliased = arguments.hostTemporaries = 0;
  arguments.peak = program.argumentBytes + program.outputBytes - program.aliasedBytes;
  return {};
}

NamedValue cost(std::string_view name, int64_t amount) {
  NamedValue value = namedValue(name, NamedValue::Type::kFloat);
  value.real = static_cast<float>(amount);
  return value;
}

}  // namespace

void ShardingList::add(std::span<const ValueType> types,
                       std::span<const DevicePlacement> placements) {
  size_t placed = 0;
  for (const ValueType& type : types) {
    const std::string& message = messages.emplace_back(
        isToken(type) ? shardingMessage(copiesOn(1, 0)) : shardingMessage(placements[placed++]));
    handles.push_back(message.data());
    sizes.push_back(message.size());
  }
}

EngineExecutable::EngineExecutable(std::shared_ptr<const CompiledProgram> compiled)
    : program(std::move(compiled)) {
  for (const ProgramOutput& output : program->outputs) {
    outputTypes.push_back(output.code);
    outputRanks.push_back(output.shape.size());
    outputDimensions.insert(outputDimensions.end(), output.shape.begin(), output.shape.end());
    memoryKinds.push_back(kMemoryKinds[output.memoryKind].data());
    memoryKindSizes.push_back(kMemoryKinds[output.memoryKind].size());
  }
  for (const DimensionOrder& order : program->layouts.arguments) parameterLayouts.add(order);
  for (const DimensionOrder& order : program->layouts.results) outputLayouts.add(order);
  if (program->placements) {
    parameterShardings.add(program->arguments, program->placements->inputs);
    outputShardings.add(program->results, program->placements->outputs);
  }
  costs = {cost("bytes accessed", program->accessedBytes), cost("operations", program->operations)};
}

void answerExecutables(Api& api) {
  answer<compileOnClient>(api);
  answer<compileForTopology>(api);
  answer<deserialize>(api);
  answer<serialize>(api);
  answer<&destroyOf<ExecutableDestroy, EngineExecutable>>(api);
  tell<ExecutableName, [](EngineExecutable& each) -> auto& { return each.program->name; }>(api);
  tell<ExecutableNumReplicas, [](EngineExecutable& executable) {
    return static_cast<size_t>(executable.program->request.grid.replicas);
  }>(api);
  tell<ExecutableNumPartitions, [](EngineExecutable& executable) {
    return static_cast<size_t>(executable.program->request.grid.partitions);
  }>(api);
  tell<ExecutableNumOutputs,
       [](EngineExecutable& executable) { return executable.program->outputs.size(); }>(api);
  tell<ExecutableSizeOfGeneratedCodeInBytes,
       [](EngineExecutable& executable) { return std::ssize(executable.program->code); }>(api);
  tell<ExecutableGetCostAnalysis, &EngineExecutable::costs>(api);
  answer<tellOutputMemoryKinds>(api);
  answer<tellOptimizedProgram>(api);
  tell<ExecutableOutputElementTypes, &EngineExecutable::outputTypes>(api);
  answer<tellOutputDimensions>(api);
  tell<ExecutableFingerprint,
       [](EngineExecutable& each) -> auto& { return each.program->fingerprint; }>(api);
  answer<tellCompileOptions>(api);
  answer<tellCompiledMemory>(api);
  answer<&destroyOf<LoadedExecutableDestroy, LoadedProgramOnDevices>>(api);
  tell<LoadedExecutableGetExecutable, [](LoadedProgramOnDevices& loaded) {
    return handleOf(new EngineExecutable(loaded.program));
  }>(api);
  tell<LoadedExecutableAddressableDevices, &LoadedProgramOnDevices::devices>(api);
  answer<tellDeviceAssignment>(api);
  tell<LoadedExecutableDelete, [](LoadedProgramOnDevices& loaded) { loaded.deleted = true; }>(api);
  tell<LoadedExecutableIsDeleted, &LoadedProgramOnDevices::deleted>(api);
  answer<execute>(api);
  tell<LoadedExecutableFingerprint,
       [](LoadedProgramOnDevices& loaded) -> auto& { return loaded.program->fingerprint; }>(api);
}

}  // namespace vintage::harness

#include "harness/plugin/compiled_program.h"

#include <charconv>
#include <functional>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/stablehlo_version.h"
#include "golden/kernels/kernel_reader.h"
#include "harness/engine/kernels/kernel_calls.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/importer/inspect.h"
#include "harness/plugin/devices.h"
#include "harness/runtimes/embedded/callable.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;

namespace {

int64_t bytesOf(ElementType type, std::span<const int64_t> shape) {
  return checkedElementCount(shape).value_or(0) * static_cast<int64_t>(byteWidth(type));
}

// Unknown sizes count as one.
int64_t bytesOf(const ValueType& type) {
  if (type.kind != ValueType::Kind::kTensor) return 0;
  Shape shape = type.shape;
  for (int64_t& size : shape)
    if (size == kDynamicDimension) size = 1;
  return bytesOf(type.element, shape);
}

// Counts operations and the bytes that they read and write, as XLA counts a program's bytes.
void countOperations(const Function& function, const std::vector<Operation>& operations,
                     CompiledProgram& program) {
  for (const Operation& operation : operations) {
    ++program.operations;
    for (const auto* values : {&operation.operands, &operation.results})
      for (const ValueId value : *values)
        if (value < function.valueTypes.size())
          program.accessedBytes += bytesOf(function.valueTypes[value]);
    for (const Region& region : operation.regions)
      for (const Block& block : region.blocks) countOperations(function, block.operations, program);
  }
}

bool isToken(const ValueType& type) { return type.kind == ValueType::Kind::kToken; }

Status checkArray(const ValueType& type, const std::string& place) {
  if (type.kind == ValueType::Kind::kTensor || isToken(type)) return {};
  return unsupported("{} of main is {}; programs take and return arrays and tokens here", place,
                     type.text);
}

// Of a result, by the annotation of JAX.
Result<size_t> memoryKindOf(const Function& main, size_t result) {
  const auto* named =
      result < main.resultAttributes.size()
          ? attributeField<std::string>(main.resultAttributes[result], "mhlo.memory_kind")
          : nullptr;
  if (named == nullptr) return 0;
  const auto* kind = std::ranges::find(kMemoryKinds, *named);
  if (kind == std::end(kMemoryKinds))
    return unsupported("result {} of main is to lie in the memory '{}'; the engine's are {}",
                       result, *named, fmt::join(kMemoryKinds, ", "));
  return static_cast<size_t>(kind - std::begin(kMemoryKinds));
}

Status describeArguments(const Function& main, CompiledProgram& program) {
  for (size_t i = 0; i < main.argumentTypes.size(); ++i) {
    RETURN_IF_ERROR(checkArray(main.argumentTypes[i], fmt::format("argument {}", i)));
    program.arguments.push_back(main.argumentTypes[i]);
    program.argumentBytes += bytesOf(main.argumentTypes[i]);
  }
  return {};
}

Status describeOutputs(const Function& main, CompiledProgram& program) {
  size_t placed = 0;
  for (size_t i = 0; i < main.resultTypes.size(); ++i) {
    const ValueType& type = main.resultTypes[i];
    RETURN_IF_ERROR(checkArray(type, fmt::format("result {}", i)));
    const int code = isToken(type) ? kTokenCode : elementCode(type.element);
    ProgramOutput output{type.element, code, type.shape};
    ASSIGN_OR_RETURN(output.memoryKind, memoryKindOf(main, i));
    if (program.placements && !isToken(type)) {
      const DevicePlacement& placement = program.placements->outputs[placed++];
      ASSIGN_OR_RETURN(output.shape,
                       within(fmt::format("result {}", i), placement.localShape(type.shape)));
    }
    program.outputs.push_back(std::move(output));
    program.results.push_back(type);
    program.outputBytes += bytesOf(type);
  }
  return {};
}

// An argument that its caller can spare is taken if a result of the same size on each device needs
// memory, as XLA does.
Status takeDonors(const Function& main, CompiledProgram& program) {
  std::multiset<int64_t> needed;
  for (const ProgramOutput& output : program.outputs)
    if (output.code != kTokenCode) needed.insert(bytesOf(output.type, output.shape));
  size_t placed = 0;
  for (size_t i = 0; i < main.argumentAttributes.size(); ++i) {
    const ValueType& type = main.argumentTypes[i];
    if (isToken(type)) continue;
    Shape shape = type.shape;
    if (program.placements) {
      ASSIGN_OR_RETURN(shape, within(fmt::format("argument {}", i),
                                     program.placements->inputs[placed++].localShape(shape)));
    }
    const AttributeMap& attributes = main.argumentAttributes[i];
    const bool* donor = attributeField<bool>(attributes, "jax.buffer_donor");
    const bool isAlias = attributes.contains("tf.aliasing_output");
    if (!isAlias && !(donor && *donor)) continue;
    const auto found = needed.find(bytesOf(type.element, shape));
    if (isAlias || found != needed.end()) program.donated.push_back(i);
    if (found != needed.end()) needed.erase(found);
  }
  return {};
}

// Attributes live as long as their context.
constexpr int kProgramsPerContext = 500;

// "vintage executable 1\nSHA-256 of the rest\nsize of the options\noptions, code"
constexpr std::string_view kMagic = "vintage executable ";
constexpr std::string_view kVersion = "1";

Result<std::string_view> takeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  if (end == rest.npos) return badInput("the serialized executable is cut off within its header");
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

template <typename Element, typename Text>
std::vector<std::string> textsOf(const std::vector<Element>& list, Text text) {
  std::vector<std::string> texts;
  for (const Element& each : list) texts.push_back(std::invoke(text, each));
  return texts;
}

// The shardings of values. Tokens have no placement.
std::vector<std::string> shardingTexts(std::span<const ValueType> types,
                                       std::span<const DevicePlacement> placements) {
  std::vector<std::string> texts;
  size_t placed = 0;
  for (const ValueType& type : types)
    texts.push_back(isToken(type) ? "{replicated}" : hloShardingText(placements[placed++]));
  return texts;
}

}  // namespace

Result<std::shared_ptr<const CompiledProgram>> compileProgram(ProgramReader& reader,
                                                              std::string_view code,
                                                              std::string_view format,
                                                              std::string_view options,
                                                              ExecutionMode mode) {
  if (format != "mlir")
    return unsupported(
        "a program came in the format '{}'; this plugin takes 'mlir', a StableHLO "
        "portable artifact or its text",
        format);
  ASSIGN_OR_RETURN(auto request, readCompileRequest(options));
  if (request.grid.replicas > 1 && request.grid.partitions > 1)
    return unsupported(
        "{} replicas of {} partitions were asked for; this plugin runs replicas or "
        "partitions, not both",
        request.grid.replicas, request.grid.partitions);
  const auto bytes = std::as_bytes(std::span(code));
  ASSIGN_OR_RETURN(auto module, reader.read(bytes));
  const Function* main = module.tree.find("main");
  if (!main) return badInput("the program has no function 'main'");
  PlanOptions planOptions;
  planOptions.mode = mode;
  planOptions.dropsCutWindows = true;  // JAX's gradients of a scatter rely on it.
  readKernelsWith({.mosaic = golden::readMosaicKernel, .triton = golden::readTritonKernel});
  ASSIGN_OR_RETURN(auto plan, compile(module.tree, planOptions));

  auto program = std::make_shared<CompiledProgram>(std::move(plan));
  program->code.assign(bytes.begin(), bytes.end());
  program->options = options;
  program->request = std::move(request);
  program->name = module.tree.name.empty() ? "main" : module.tree.name;
  ContentHasher hasher;
  hasher.update(bytes);
  hasher.update(options);
  program->fingerprint = hasher.finish();
  program->version = module.version;
  program->targets = module.targets;
  if (program->request.grid.partitions > 1) {
    ASSIGN_OR_RETURN(program->placements,
                     annotatedPlacements(module.tree, *main, program->request.grid.partitions));
  }
  RETURN_IF_ERROR(describeArguments(*main, *program));
  RETURN_IF_ERROR(describeOutputs(*main, *program));
  RETURN_IF_ERROR(takeDonors(*main, *program));
  program->recorded = recordedProgramOf(module.tree, module.targets);
  for (const Function& function : module.tree.functions)
    for (const Block& block : function.body.blocks)
      countOperations(function, block.operations, *program);
  return program;
}

Result<ReadModule> ProgramReader::read(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (!context_ || ++programsRead_ > kProgramsPerContext) {
    context_.emplace();
    programsRead_ = 0;
  }
  ASSIGN_OR_RETURN(auto program, context_->read(bytes, kProgramName));
  ReadModule module;
  ASSIGN_OR_RETURN(module.tree, program.tree());
  module.version = program.artifactVersion();
  module.targets = program.customCallTargets();
  return module;
}

std::string serializeProgram(const CompiledProgram& program) {
  const std::string_view code(reinterpret_cast<const char*>(program.code.data()),
                              program.code.size());
  const std::string body = fmt::format("{}\n{}{}", program.options.size(), program.options, code);
  return fmt::format("{}{}\n{}\n{}", kMagic, kVersion, contentHash(body), body);
}

Result<SerializedProgram> readSerializedProgram(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return badInput("these bytes are not an executable that this plugin serialized");
  std::string_view rest = bytes.substr(kMagic.size());
  ASSIGN_OR_RETURN(const std::string_view version, takeLine(rest));
  if (version != kVersion)
    return unsupported(
        "the executable was serialized in version {}; this plugin reads version {}. "
        "Compile the program again",
        version, kVersion);
  ASSIGN_OR_RETURN(const std::string_view hash, takeLine(rest));
  if (contentHash(rest) != hash)
    return badInput("the serialized executable is damaged or cut off: its checksum differs");
  ASSIGN_OR_RETURN(const std::string_view length, takeLine(rest));
  size_t size = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), size);
  if (error != std::errc() || end != length.data() + length.size() || size > rest.size())
    return badInput("the serialized executable announces '{}' bytes of options; {} are left",
                    length, rest.size());
  return SerializedProgram{rest.substr(size), rest.substr(0, size)};
}

std::string hloShardingText(const DevicePlacement& placement) {
  // The devices of each piece and addend, in the order of tiles.
  std::map<std::pair<Shape, Shape>, std::vector<int64_t>> holders;
  for (const int64_t device : placement.mesh.devices)
    holders[{placement.pieceOn(device), placement.addendOn(device)}].push_back(device);
  if (holders.size() < 2) return "{replicated}";
  Shape tiles = placement.pieces();
  int64_t addends = 1;
  for (const size_t axis : placement.summed) addends *= placement.mesh.sizes[axis];
  if (addends == static_cast<int64_t>(placement.devices())) return "{unreduced}";
  const size_t copies = holders.begin()->second.size();
  std::vector<int64_t> devices;
  for (const auto& [piece, held] : holders) devices.insert(devices.end(), held.begin(), held.end());
  if (addends > 1) tiles.push_back(addends);
  if (copies > 1) tiles.push_back(static_cast<int64_t>(copies));
  const std::string_view last = addends == 1  ? copies == 1 ? "" : " last_tile_dim_replicate"
                                : copies == 1 ? " last_tile_dims={unreduced}"
                                              : " last_tile_dims={unreduced, replicated}";
  return fmt::format("{{devices=[{}]{}{}}}", fmt::join(tiles, ","), fmt::join(devices, ","), last);
}

std::string signatureModule(const CompiledProgram& program) {
  const std::vector<std::string> results =
      shardingTexts(program.results, program.placements->outputs);
  std::vector<std::string> parameters, names, declared;
  const std::vector<std::string> types = textsOf(program.arguments, &ValueType::text);
  for (const std::string& text : shardingTexts(program.arguments, program.placements->inputs))
    parameters.push_back(fmt::format("\"{}\"", text));
  for (size_t i = 0; i < types.size(); ++i) {
    names.push_back(fmt::format("%arg{}", i));
    declared.push_back(fmt::format("%arg{}: {}", i, types[i]));
  }
  const std::vector<std::string> given = textsOf(program.results, &ValueType::text);
  std::vector<std::string> values;
  for (size_t i = 0; i < given.size(); ++i)
    values.push_back(given.size() == 1 ? "%0" : fmt::format("%0#{}", i));
  // An empty tuple has one sharding.
  const std::string whole = results.empty()       ? "{replicated}"
                            : results.size() == 1 ? results.front()
                                                  : fmt::format("{{{}}}", fmt::join(results, ", "));
  const std::string call =
      given.empty()
          ? std::string()
          : fmt::format("    %0{} = stablehlo.custom_call @vintage_program({}) : ({}) -> {}{}{}\n",
                        given.size() == 1 ? "" : fmt::format(":{}", given.size()),
                        fmt::join(names, ", "), fmt::join(types, ", "),
                        given.size() == 1 ? "" : "(", fmt::join(given, ", "),
                        given.size() == 1 ? "" : ")");
  // The name of an operation of JAX has characters that no symbol without quotes has.
  std::string name = program.name;
  std::erase_if(name, [](char each) { return each == '"' || each == '\\' || each < ' '; });
  return fmt::format(
      "module @\"{}\" attributes {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = 1 : i32, "
      "mhlo.spmd_output_sharding = \"{}\", mhlo.spmd_parameters_shardings = [{}]}} {{\n"
      "  func.func public @main({}) -> ({}) {{\n{}    return{}{}{}{}\n  }}\n}}\n",
      name, program.request.grid.partitions, whole, fmt::join(parameters, ", "),
      fmt::join(declared, ", "), fmt::join(given, ", "), call, values.empty() ? "" : " ",
      fmt::join(values, ", "), values.empty() ? "" : " : ", fmt::join(given, ", "));
}

}  // namespace vintage::harness

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
#include "harness/plugin/custom_partitioner.h"
#include "harness/plugin/devices.h"
#include "harness/plugin/partitioned_calls.h"
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

// Empty for a call that each device makes for its own part of a batch.
std::string exchangeText(const Exchange& exchange) {
  const Operation& operation = exchange.operation;
  const auto* target = attributeField<std::string>(operation.attributes, "call_target_name");
  if (target && isBatchPartitionable(*target)) return {};
  return fmt::format("{} for {}{}{}", exchange.isReduction ? "all-reduce" : "all-gather",
                     operation.name, target ? " @" : "", target ? *target : "");
}

// The types of one device's pieces. Tokens have no placement.
Result<std::vector<ValueType>> piecesOf(const std::vector<ValueType>& types,
                                        const std::vector<DevicePlacement>* placements,
                                        std::string_view what) {
  std::vector<ValueType> pieces;
  size_t placed = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string place = fmt::format("{} {}", what, i);
    RETURN_IF_ERROR(checkArray(types[i], place));
    pieces.push_back(types[i]);
    if (placements == nullptr || isToken(types[i])) continue;
    ASSIGN_OR_RETURN(auto shape, within(place, (*placements)[placed++].localShape(types[i].shape)));
    pieces.back() = tensorOf(types[i].element, std::move(shape));
  }
  return pieces;
}

Status describeSignature(const Function& main, CompiledProgram& program) {
  const auto& placements = program.placements;
  ASSIGN_OR_RETURN(
      program.arguments,
      piecesOf(main.argumentTypes, placements ? &placements->inputs : nullptr, "argument"));
  ASSIGN_OR_RETURN(
      program.results,
      piecesOf(main.resultTypes, placements ? &placements->outputs : nullptr, "result"));
  ASSIGN_OR_RETURN(program.layouts, layoutsOf(main));
  for (const ValueType& argument : program.arguments) program.argumentBytes += bytesOf(argument);
  for (size_t i = 0; i < program.results.size(); ++i) {
    const ValueType& type = program.results[i];
    const int code = isToken(type) ? kTokenCode : elementCode(type.element);
    ASSIGN_OR_RETURN(const size_t memoryKind, memoryKindOf(main, i));
    program.outputs.push_back({type.element, code, type.shape, memoryKind});
    program.outputBytes += bytesOf(type);
  }
  return {};
}

// An argument that its caller can spare is taken if a result of the same size on each device needs
// memory, as XLA does, in whatever order they lie.
void takeDonors(const Function& main, CompiledProgram& program) {
  std::multiset<int64_t> needed;
  for (const ValueType& result : program.results)
    if (!isToken(result)) needed.insert(bytesOf(result));
  for (size_t i = 0; i < main.argumentAttributes.size(); ++i) {
    if (isToken(program.arguments[i])) continue;
    const AttributeMap& attributes = main.argumentAttributes[i];
    const bool* donor = attributeField<bool>(attributes, "jax.buffer_donor");
    const bool isAlias = attributes.contains("tf.aliasing_output");
    if (!isAlias && !(donor && *donor)) continue;
    const auto found = needed.find(bytesOf(program.arguments[i]));
    if (isAlias || found != needed.end()) program.donated.push_back(i);
    if (found == needed.end()) continue;
    program.aliasedBytes += *found;
    needed.erase(found);
  }
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
  std::optional<ModuleTree> split;
  std::optional<Placements> placements;
  if (std::ranges::any_of(module.targets, isSplitWhenCompiled)) {
    split = module.tree;
    ASSIGN_OR_RETURN(placements, splitCalls(*split, request, reader));
  }
  ASSIGN_OR_RETURN(auto plan, compile(split ? *split : module.tree, planOptions));

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
    if (!placements) {
      const auto note = [&](const Exchange& exchange) {
        if (auto text = exchangeText(exchange); !text.empty())
          program->exchanges.insert(std::move(text));
      };
      ASSIGN_OR_RETURN(placements,
                       annotatedPlacements(module.tree, *main, program->request.grid.partitions,
                                           {.seeExchange = note}));
    }
    program->placements = std::move(placements);
  }
  RETURN_IF_ERROR(describeSignature(*main, *program));
  takeDonors(*main, *program);
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

}  // namespace vintage::harness

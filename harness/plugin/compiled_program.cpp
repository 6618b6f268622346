#include "harness/plugin/compiled_program.h"

#include <algorithm>
#include <charconv>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/stablehlo_version.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/importer/program_outputs.h"
#include "harness/runtimes/embedded/recorded_placement.h"
#include "harness/runtimes/pjrt/element_codes.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr std::string_view kFormat = "mlir";

// Not known sizes count as one.
int64_t bytesOf(const ValueType& type) {
  if (type.kind != ValueType::Kind::kTensor) return 0;
  Shape shape = type.shape;
  for (int64_t& size : shape)
    if (size == kDynamicDimension) size = 1;
  const auto count = checkedElementCount(shape);
  return count ? *count * static_cast<int64_t>(byteWidth(type.element)) : 0;
}

// What an operation reads and writes, as XLA counts the bytes that a program accesses.
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
  if (type.kind != ValueType::Kind::kTensor)
    return unsupported("{} of main is {}; programs take and give arrays here", place, type.text);
  return {};
}

// The targets by which JAX calls Python back while a program runs.
Status refuseCallbacks(const std::vector<std::string>& targets) {
  for (const std::string& target : targets)
    if (target.find("python") != target.npos && target.find("callback") != target.npos)
      return unsupported(
          "the program calls Python back while it runs ({}): a callback or a debug "
          "print. The embedded engine has none; run it with JAX_PLATFORMS=cpu",
          target);
  return {};
}

Status describeArguments(const Function& main, CompiledProgram& program) {
  for (size_t i = 0; i < main.argumentTypes.size(); ++i) {
    RETURN_IF_ERROR(checkArray(main.argumentTypes[i], fmt::format("argument {}", i)));
    program.arguments.push_back(main.argumentTypes[i]);
    program.argumentBytes += bytesOf(main.argumentTypes[i]);
    if (i >= main.argumentAttributes.size()) continue;
    const AttributeMap& attributes = main.argumentAttributes[i];
    const bool* donor = attributeField<bool>(attributes, "jax.buffer_donor");
    if (attributes.contains("tf.aliasing_output") || (donor && *donor))
      program.donated.push_back(i);
  }
  return {};
}

Status describeOutputs(const Function& main, CompiledProgram& program) {
  for (size_t i = 0; i < main.resultTypes.size(); ++i) {
    const ValueType& type = main.resultTypes[i];
    RETURN_IF_ERROR(checkArray(type, fmt::format("result {}", i)));
    const auto code = elementCode(type.element);
    if (!code)
      return unsupported("result {} of main is {}, for which the PJRT C API has no element type", i,
                         type.text);
    ProgramOutput output{type.element, *code, type.shape};
    if (program.placements) {
      const DevicePlacement& placement = program.placements->outputs[i];
      ASSIGN_OR_RETURN(output.shape,
                       within(fmt::format("result {}", i),
                              localShape(placement.mesh, placement.sharding, type.shape)));
    }
    program.outputs.push_back(std::move(output));
    program.results.push_back(type);
    program.outputBytes += bytesOf(type);
  }
  return {};
}

// Attributes live as long as their context.
constexpr int kProgramsPerContext = 500;
constexpr std::string_view kProgramName = "the program";

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
  if (format != kFormat)
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
  RETURN_IF_ERROR(refuseCallbacks(module.targets));
  PlanOptions planOptions;
  planOptions.mode = mode;
  ASSIGN_OR_RETURN(auto plan, compile(module.tree, planOptions));

  auto program = std::make_shared<CompiledProgram>(std::move(plan));
  program->code.assign(bytes.begin(), bytes.end());
  program->options = options;
  program->request = std::move(request);
  program->mode = mode;
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
  program->recorded = recordedProgramOf(module.tree, module.targets);
  for (const Function& function : module.tree.functions)
    for (const Block& block : function.body.blocks)
      countOperations(function, block.operations, *program);
  return program;
}

ProgramContext& ProgramReader::context() {
  if (!context_ || ++programsRead_ > kProgramsPerContext) {
    context_.emplace();
    programsRead_ = 0;
  }
  return *context_;
}

Result<ReadModule> ProgramReader::read(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(bytes, kProgramName));
  ReadModule module;
  ASSIGN_OR_RETURN(module.tree, program.tree());
  module.version = program.artifactVersion();
  module.targets = program.customCallTargets();
  return module;
}

Result<std::string> ProgramReader::print(std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(bytes, kProgramName));
  return program.print();
}

Result<std::vector<std::byte>> ProgramReader::toArtifact(std::span<const std::byte> text) {
  const std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(auto program, context().read(text, kProgramName));
  return program.writePortableArtifact(kCurrentStablehloVersion);
}

std::string serializeProgram(const CompiledProgram& program) {
  const std::string_view code(reinterpret_cast<const char*>(program.code.data()),
                              program.code.size());
  const std::string body = fmt::format("{}\n{}{}", program.options.size(), program.options, code);
  return fmt::format("{}{}\n{}\n{}", kMagic, kVersion, contentHash(body), body);
}

Result<SerializedProgram> readSerializedProgram(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return badInput("these bytes are no executable that this plugin serialized");
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

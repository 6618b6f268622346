#include "harness/runtimes/pjrt/preparation/artifact_preparer.h"

#include <algorithm>
#include <charconv>

#include "archive/store/records.h"
#include "golden/base/failures.h"
#include "golden/exported/calling_convention.h"
#include "golden/exported/dtypes.h"
#include "golden/module/module_tree.h"
#include "golden/program/entry_changes.h"
#include "golden/program/static_shapes.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/sharding_attributes.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

bool isDynamic(const ValueType& type) {
  return type.kind == ValueType::Kind::kTensor &&
         std::ranges::find(type.shape, kDynamicDimension) != type.shape.end();
}

Result<Shape> staticShape(const std::vector<std::string>& sizes, size_t input) {
  Shape shape;
  for (const std::string& size : sizes) {
    const auto [end, error] =
        std::from_chars(size.data(), size.data() + size.size(), shape.emplace_back());
    if (error != std::errc() || end != size.data() + size.size())
      return unsupported(
          "input {} has the symbolic dimension {}, and the artifact is kept without inputs that "
          "would give its size; keep it with inputs by 'vintage put'",
          input, size);
  }
  return shape;
}

Result<std::vector<Tensor>> declaredInputs(const CallingMetadata& metadata) {
  std::vector<Tensor> inputs;
  for (const AbstractValue& value : metadata.inputs) {
    if (value.isToken) continue;
    const auto carrier = dtypeCarrier(value.dtype);
    if (!carrier)
      return unsupported("input {} is of dtype {}, which has no placeholder", inputs.size(),
                         value.dtype);
    ASSIGN_OR_RETURN(auto shape, staticShape(value.shape, inputs.size()));
    ASSIGN_OR_RETURN(inputs.emplace_back(), Tensor::make(carrier->type, std::move(shape)));
  }
  return inputs;
}

Result<std::vector<Tensor>> placeholderInputs(const Callable& callable, const Function& main) {
  if (callable.tellsInputs) return declaredInputs(callable.metadata);
  std::vector<Tensor> inputs;
  for (const ValueType& type : main.argumentTypes) {
    if (type.kind == ValueType::Kind::kToken) continue;
    if (type.kind != ValueType::Kind::kTensor || isDynamic(type))
      return unsupported("argument {} of main is {}, and the artifact is kept without inputs",
                         inputs.size(), type.text);
    ASSIGN_OR_RETURN(inputs.emplace_back(), Tensor::make(type.element, type.shape));
  }
  // bindBare puts the platform index before them.
  if (callable.metadata.platforms.size() > 1 && !inputs.empty() && inputs[0].shape().empty())
    inputs.erase(inputs.begin());
  return inputs;
}

constexpr int kProgramsPerContext = 500;

bool hasDynamicShapes(const ModuleTree& module) {
  return std::ranges::any_of(module.functions, [](const Function& function) {
    return std::ranges::any_of(function.valueTypes, isDynamic);
  });
}

bool usesShardy(const ModuleTree& module) {
  if (std::ranges::any_of(module.others, [](const Operation& operation) {
        return operation.name.starts_with("sdy.");
      }))
    return true;
  const auto* fields = attributeField<AttributeMap>(module.attributes, "mhlo.frontend_attributes");
  return fields && fields->contains("xla.sdy.meshes");
}

// How many arguments come before the inputs: the platform index, and dimension variables.
// Their values decide what the program is.
Result<size_t> constantArguments(const Callable& callable, const Function& main,
                                 const ExecuteRequest& request, size_t arguments) {
  if (!callable.tellsInputs)
    return arguments > request.inputs.size() ? arguments - request.inputs.size() : 0;
  ASSIGN_OR_RETURN(auto signature, matchMain(callable.metadata, main));
  return static_cast<size_t>(
      std::ranges::count_if(signature.arguments, [](const MainArgument& argument) {
        return argument.kind == MainArgument::Kind::kPlatformIndex ||
               argument.kind == MainArgument::Kind::kDimensionVariable;
      }));
}

std::vector<StaticArgument> staticArguments(std::span<const Tensor> arguments, size_t constants) {
  std::vector<StaticArgument> shapes;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StaticArgument& argument = shapes.emplace_back(arguments[i].shape(), std::nullopt);
    const ElementType type = arguments[i].type();
    if (i < constants && arguments[i].shape().empty() &&
        (type == ElementType::kI32 || type == ElementType::kI64))
      argument.value = {integerElement(arguments[i], 0)};
  }
  return shapes;
}

// A program that cannot be read here, for a plugin that may know its needs. None where more than
// its bytes would have to be known.
std::optional<PreparedProgram> unread(Callable& callable, const ExecuteRequest& request) {
  const CallingMetadata& metadata = callable.metadata;
  if (!callable.tellsInputs || metadata.platforms.size() != 1 || metadata.orderedEffects > 0 ||
      callable.deviceCount > 1)
    return std::nullopt;
  PreparedProgram prepared;
  std::vector<Tensor>& arguments = prepared.arguments.emplace_back();
  for (const uint16_t input : metadata.keptInputs) {
    if (input >= request.inputs.size()) return std::nullopt;
    for (const std::string& size : metadata.inputs[input].shape)
      if (size.find_first_not_of("0123456789") != size.npos) return std::nullopt;
    arguments.push_back(request.inputs[input]);
  }
  prepared.module = std::move(callable.module);
  prepared.form = kAsArchived;
  return prepared;
}

bool isPlaced(const AttributeMap& attributes, const ModuleTree& module) {
  if (attributes.contains("mhlo.sharding")) return true;
  const auto* fields = attributeField<AttributeMap>(attributes, "sdy.sharding");
  const auto* name = fields ? attributeField<std::string>(*fields, "mesh") : nullptr;
  if (!name) return false;
  const auto mesh = readMesh(module, *name);
  // One with open dimensions cannot be read.
  return mesh && readSharding(*fields, *mesh);
}

// The results of main whose place is left open to a compiler, by their number.
std::vector<size_t> openResults(const ModuleTree& module, const Function& main) {
  std::vector<size_t> open;
  for (size_t i = 0; i < main.resultTypes.size(); ++i)
    if (main.resultTypes[i].kind == ValueType::Kind::kTensor &&
        (i >= main.resultAttributes.size() || !isPlaced(main.resultAttributes[i], module)))
      open.push_back(i);
  return open;
}

// Whether main's arrays are annotated with another order of dimensions than the row-major one of
// the buffers here. JAX ignores it too where it calls an Exported.
bool asksForLayouts(const Function& main) {
  const auto asks = [](const AttributeMap& attributes) {
    const auto* mode = attributeField<std::string>(attributes, kLayoutAttribute);
    return mode && *mode != "default";
  };
  return std::ranges::any_of(main.argumentAttributes, asks) ||
         std::ranges::any_of(main.resultAttributes, asks);
}

// Splits the arguments of a program over several devices as they lie on them: fills in
// `prepared.arguments` and `prepared.outputs`; `outputs` are the whole shapes.
Status spreadOver(const Placements& placements, std::span<const Tensor> arguments,
                  std::span<const Shape> outputs, PreparedProgram& prepared) {
  if (placements.inputs.size() != arguments.size() || placements.outputs.size() != outputs.size())
    return badInput("{} arguments and {} outputs are placed; there are {} and {}",
                    placements.inputs.size(), placements.outputs.size(), arguments.size(),
                    outputs.size());
  ASSIGN_OR_RETURN(prepared.arguments,
                   splitRows(placements.inputs, arguments, prepared.devices, "argument"));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const DevicePlacement& placement = placements.outputs[i];
    ASSIGN_OR_RETURN(auto local,
                     within(fmt::format("output {}", i), placement.localShape(outputs[i])));
    OutputPieces& output = prepared.outputs.emplace_back(outputs[i], std::vector<Shape>());
    for (size_t device = 0; device < prepared.devices; ++device) {
      Shape start = placement.pieceOn(static_cast<int64_t>(device));
      for (size_t d = 0; d < start.size(); ++d) start[d] *= local[d];
      output.starts.push_back(std::move(start));
    }
  }
  return {};
}

}  // namespace

Result<PreparedProgram> ArtifactPreparer::prepareOne(Callable& callable,
                                                     const ExecuteRequest& request, Stage& stage) {
  // Attributes live as long as their context.
  if (!context_ || ++programsRead_ > kProgramsPerContext) {
    context_.emplace();
    programsRead_ = 0;
  }
  stage = Stage::kUpgrade;
  auto program = context_->readPortableArtifact(callable.module, request.name);
  if (program) return prepareRead(std::move(*program), callable, request, stage);
  if (program.error().kind == Error::Kind::kUnsupported && !version_)
    if (auto prepared = unread(callable, request)) return std::move(*prepared);
  return tl::unexpected(program.error());
}

Result<PreparedProgram> ArtifactPreparer::prepareRead(Program program, Callable& callable,
                                                      const ExecuteRequest& request, Stage& stage) {
  stage = Stage::kVerify;
  ASSIGN_OR_RETURN(auto tree, program.tree());
  const Function* main = tree.find("main");
  if (!main) return badInput("the module has no function 'main'");
  RETURN_IF_ERROR(checkModule(callable, tree, *main));
  const bool compileOnly = request.mode == kCompileOnly;
  ExecuteRequest call;
  call.platform = request.platform;
  call.inputs = request.inputs;
  if (compileOnly && call.inputs.empty()) {
    ASSIGN_OR_RETURN(call.inputs, placeholderInputs(callable, *main));
  }
  ASSIGN_OR_RETURN(auto arguments, argumentsOf(callable, *main, call));
  ASSIGN_OR_RETURN(const size_t constants,
                   constantArguments(callable, *main, call, arguments.size()));

  PreparedProgram prepared;
  prepared.shardy = usesShardy(tree);
  std::vector<std::string> changes;
  if (constants > 0 || hasDynamicShapes(tree)) {
    auto refined = makeShapesStatic(program, staticArguments(arguments, constants));
    // A program whose shapes are only known when it runs is the plugin's to judge.
    if (!refined && (constants > 0 || refined.error().kind != Error::Kind::kUnsupported))
      return tl::unexpected(refined.error());
    if (refined) {
      program = std::move(*refined);
      changes.emplace_back("refined");
    } else {
      prepared.note = "its shapes are not refined: " + refined.error().message;
    }
  }
  const bool spread = callable.tellsInputs && callable.deviceCount > 1;
  const std::vector<size_t> open = spread ? openResults(tree, *main) : std::vector<size_t>();
  if (!open.empty()) {
    ASSIGN_OR_RETURN(auto whole, withWholeResults(program, open));
    program = std::move(whole);
    changes.emplace_back("with whole results");
  }
  if (std::ranges::find(main->argumentTypes, ValueType::Kind::kToken, &ValueType::kind) !=
      main->argumentTypes.end()) {
    ASSIGN_OR_RETURN(auto inside, withTokensInside(program));
    program = std::move(inside);
    changes.emplace_back("with its tokens inside");
  }
  if (asksForLayouts(*main)) {
    ASSIGN_OR_RETURN(auto plain, withoutLayouts(program));
    program = std::move(plain);
    changes.emplace_back("without layouts");
  }
  stage = Stage::kUpgrade;
  const auto archived = program.artifactVersion();
  if (changes.empty() && (!version_ || version_ == archived)) {
    prepared.module = std::move(callable.module);
    prepared.form = kAsArchived;
  } else {
    const StablehloVersion target =
        std::min(version_ ? *version_ : archived.value_or(kCurrentStablehloVersion),
                 kCurrentStablehloVersion);
    ASSIGN_OR_RETURN(prepared.module, program.writePortableArtifact(target));
    changes.push_back(fmt::format("written at StableHLO {}", formatStablehloVersion(target)));
    prepared.form = fmt::format("{}", fmt::join(changes, ", "));
  }

  stage = Stage::kVerify;
  if (spread) prepared.devices = callable.deviceCount;
  if (compileOnly) {
    prepared.arguments.resize(prepared.devices);
    return prepared;
  }
  if (!spread) {
    prepared.arguments.push_back(std::move(arguments));
    return prepared;
  }
  ASSIGN_OR_RETURN(auto placements, placementsOf(callable, tree, *main));
  const size_t tokens = main->resultTypes.size() - placements.outputs.size();
  for (const size_t result : open)
    placements.outputs[result - tokens] =
        copiesOn(callable.deviceCount, main->resultTypes[result].shape.size());
  ASSIGN_OR_RETURN(auto values, solveOwnInputs(callable.metadata, request.inputs));
  ASSIGN_OR_RETURN(auto shapes, outputShapes(callable.metadata, values));
  RETURN_IF_ERROR(spreadOver(placements, arguments, shapes, prepared));
  return prepared;
}

PreparationAnswer ArtifactPreparer::prepare(ExecuteRequest request) {
  Preparation preparation;
  ExecuteReply refused = replyOf(request, [&](ExecuteReply& reply) -> Status {
    ASSIGN_OR_RETURN(auto opened, openArtifact(request));
    ASSIGN_OR_RETURN(preparation.emplace_back(), prepareOne(opened.function, request, reply.stage));
    reply.stage = Stage::kLoad;
    ASSIGN_OR_RETURN(const bool alsoDerivative, asksForDerivative(opened, request));
    if (!alsoDerivative) return {};
    ASSIGN_OR_RETURN(preparation.emplace_back(),
                     within("derivative", prepareOne(*opened.derivative, request, reply.stage)));
    return {};
  });
  if (refused.outcome != OutcomeKind::kPass) return refused;
  return preparation;
}

}  // namespace vintage::harness

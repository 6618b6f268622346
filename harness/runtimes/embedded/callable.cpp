#include "harness/runtimes/embedded/callable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"
#include "golden/exported/exported.h"
#include "harness/engine/checked_attributes.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// A platform index or a dimension variable: `type` is a scalar integer.
Tensor integerScalar(const ValueType& type, int64_t value) {
  Tensor scalar(type.element, {});
  // Little-endian: the low bytes come first.
  std::memcpy(scalar.mutableBytes().data(), &value, byteWidth(type.element));
  return scalar;
}

// The arguments of an Exported's `main`, tokens left out.
Result<std::vector<Tensor>> bindExported(const CallingMetadata& metadata, const Function& main,
                                         const ExecuteRequest& request) {
  ASSIGN_OR_RETURN(auto signature, matchMain(metadata, main));
  std::vector<Tensor> arguments;
  std::optional<DimensionValues> dimensions;
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    const MainArgument& argument = signature.arguments[i];
    switch (argument.kind) {
      case MainArgument::Kind::kToken:
        break;
      case MainArgument::Kind::kPlatformIndex: {
        ASSIGN_OR_RETURN(auto index, platformIndex(metadata, request.platform));
        arguments.push_back(integerScalar(main.argumentTypes[i], static_cast<int64_t>(index)));
        break;
      }
      case MainArgument::Kind::kDimensionVariable: {
        if (!dimensions) {
          ASSIGN_OR_RETURN(dimensions, solveOwnInputs(metadata, request.inputs));
        }
        const auto value = dimensions->find(argument.dimensionVariable);
        if (value == dimensions->end())
          return badInput(
              "argument {} of main is the dimension variable '{}', which the shapes of the inputs "
              "do not determine",
              i, argument.dimensionVariable);
        arguments.push_back(integerScalar(main.argumentTypes[i], value->second));
        break;
      }
      case MainArgument::Kind::kInput:
        if (argument.index >= request.inputs.size())
          return badInput("{} inputs were given; the module keeps input number {}, counted from 0",
                          request.inputs.size(), argument.index);
        arguments.push_back(request.inputs[argument.index]);
        break;
    }
  }
  return arguments;
}

// The arguments of a bare module's `main`: the inputs, and before them, where
// it serves several platforms, the index of the one that runs.
Result<std::vector<Tensor>> bindBare(const CallingMetadata& metadata, const Function& main,
                                     const ExecuteRequest& request) {
  std::vector<Tensor> arguments = request.inputs;
  const auto isArray = [](const ValueType& type) { return type.kind != ValueType::Kind::kToken; };
  const auto first = std::ranges::find_if(main.argumentTypes, isArray);
  const auto arrays = std::ranges::count_if(main.argumentTypes, isArray);
  if (metadata.platforms.size() > 1 && static_cast<size_t>(arrays) == arguments.size() + 1 &&
      first->shape.empty() && isInteger(first->element)) {
    ASSIGN_OR_RETURN(auto index, platformIndex(metadata, request.platform));
    arguments.insert(arguments.begin(), integerScalar(*first, static_cast<int64_t>(index)));
  }
  return arguments;
}

Status checkPlatform(const Callable& callable, const ExecuteRequest& request) {
  if (callable.metadata.platforms.empty()) return {};
  RETURN_IF_ERROR(platformIndex(callable.metadata, request.platform));
  return {};
}

Callable callableOf(Exported& exported) {
  Callable callable;
  callable.metadata = callingMetadata(exported);
  callable.tellsInputs = true;
  callable.module = std::move(exported.module);
  callable.deviceCount = exported.deviceCount;
  callable.inputShardings = std::move(exported.inputShardings);
  callable.outputShardings = std::move(exported.outputShardings);
  return callable;
}

}  // namespace

Result<OpenedArtifact> openArtifact(ExecuteRequest& request) {
  OpenedArtifact opened;
  auto artifact = std::exchange(request.artifact, {});
  switch (request.format) {
    case ArtifactRecord::Format::kSavedModel:
      return unsupported(
          "it wraps a TensorFlow SavedModel rather than a StableHLO module; this needs TensorFlow "
          "and is not executed");
    case ArtifactRecord::Format::kPortableArtifact:
      opened.function.module = std::move(artifact);
      opened.function.metadata.platforms = request.platforms;
      break;
    case ArtifactRecord::Format::kExported: {
      ASSIGN_OR_RETURN(auto exported, readExportedInPlace(artifact, request.name));
      opened.function = callableOf(exported);
      if (exported.vjp && request.inputs.size() == exported.vjp->inputs.size())
        opened.derivative = callableOf(*exported.vjp);
      break;
    }
  }
  RETURN_IF_ERROR(checkPlatform(opened.function, request));
  if (opened.derivative) RETURN_IF_ERROR(checkPlatform(*opened.derivative, request));
  return opened;
}

Result<bool> asksForDerivative(const OpenedArtifact& opened, const ExecuteRequest& request) {
  const size_t taken = opened.function.metadata.inputs.size();
  if (!opened.function.tellsInputs || request.inputs.size() <= taken) return false;
  if (opened.derivative) return true;
  return badInput(
      "{} inputs were given; the function takes {}, and no derivative that takes as "
      "many is nested in it",
      request.inputs.size(), taken);
}

Result<DimensionValues> solveOwnInputs(const CallingMetadata& metadata,
                                       std::span<const Tensor> inputs) {
  return solveInputs(metadata, inputs.first(std::min(inputs.size(), metadata.inputs.size())));
}

Status checkModule(const Callable& callable, const ModuleTree& module, const Function& main) {
  if (!callable.tellsInputs) return {};
  const auto* count = attributeField<int64_t>(module.attributes, "mhlo.num_partitions");
  if (callable.deviceCount > 1 && count && *count != int64_t{callable.deviceCount})
    return badInput("it was exported for {} devices, and its module has {} partitions",
                    callable.deviceCount, *count);
  // Version 8 lets a consumer leave out the refinement that dynamic types need.
  if (callable.metadata.version < 8 ||
      needsShapeRefinement(callable.metadata.version, module.attributes))
    return {};
  for (size_t i = 0; i < main.argumentTypes.size(); ++i)
    if (std::ranges::find(main.argumentTypes[i].shape, kDynamicDimension) !=
        main.argumentTypes[i].shape.end())
      return badInput(
          "argument {} of main is {}, and the module does not say jax.uses_shape_polymorphism = "
          "true: under calling convention {} its shapes are not refined",
          i, main.argumentTypes[i].text, callable.metadata.version);
  return {};
}

Status checkOutputs(const Callable& callable, std::span<const Tensor> inputs,
                    std::span<const Tensor> outputs) {
  if (!callable.tellsInputs) return {};
  const CallingMetadata& metadata = callable.metadata;
  ASSIGN_OR_RETURN(const auto values, solveOwnInputs(metadata, inputs));
  ASSIGN_OR_RETURN(auto shapes, outputShapes(metadata, values));
  if (outputs.size() != shapes.size())
    return badInput("{} outputs came out, and the artifact declares {}", outputs.size(),
                    shapes.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto carrier = dtypeCarrier(metadata.outputs[i].dtype);
    if (outputs[i].shape() != shapes[i] || (carrier && outputs[i].type() != carrier->type))
      return badInput("output {} came out as {}, and the artifact declares {}", i,
                      describe(outputs[i]),
                      describe(carrier ? carrier->type : outputs[i].type(), shapes[i]));
  }
  return {};
}

Result<std::vector<Tensor>> argumentsOf(const Callable& callable, const Function& main,
                                        const ExecuteRequest& request) {
  return callable.tellsInputs ? bindExported(callable.metadata, main, request)
                              : bindBare(callable.metadata, main, request);
}

}  // namespace vintage::harness

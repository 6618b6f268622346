#include "golden/exported/calling_convention.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"

namespace vintage::golden {
namespace {

constexpr int kTokensSince = 9;
constexpr std::string_view kGlobalConstant = "jax.global_constant";
constexpr std::string_view kPlatformIndexName = "_platform_index";

std::string describeType(const ValueType& type) {
  if (!type.text.empty()) return type.text;
  return type.kind == ValueType::Kind::kTensor ? describe(type.element, type.shape)
                                               : std::string("a value that is not a tensor");
}

std::string describeValue(const AbstractValue& value) {
  return fmt::format("{}[{}]", value.dtype, fmt::join(value.shape, ","));
}

// The string that argument `i` is tagged with, if any.
const std::string* globalConstant(const Function& main, size_t i) {
  if (i >= main.argumentAttributes.size()) return nullptr;
  const auto found = main.argumentAttributes[i].find(kGlobalConstant);
  if (found == main.argumentAttributes[i].end()) return nullptr;
  return std::get_if<std::string>(&found->second.value);
}

// An abstract value as the module has it: its element type and one expression for each dimension.
struct Expected {
  ElementType type = ElementType::kF32;
  std::vector<DimensionExpression> dimensions;
};

Result<Expected> expectedOf(const AbstractValue& value) {
  const std::optional<Carrier> carrier = dtypeCarrier(value.dtype);
  if (!carrier) return badInput("'{}' is not an element type", value.dtype);
  Expected expected{carrier->type, {}};
  std::vector<std::string> texts = value.shape;
  if (carrier->trailingDimension != 0) texts.push_back(std::to_string(carrier->trailingDimension));
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(expected.dimensions.emplace_back(), DimensionExpression::parse(text));
  }
  return expected;
}

Status checkType(const AbstractValue& value, const ValueType& type, const std::string& place) {
  ASSIGN_OR_RETURN(const Expected expected, within(place, expectedOf(value)));
  const auto mismatch = [&] {
    return badInput("{} is {} in the module, but {} in the metadata", place, describeType(type),
                    describeValue(value));
  };
  if (type.kind != ValueType::Kind::kTensor || type.element != expected.type ||
      type.shape.size() != expected.dimensions.size())
    return mismatch();
  for (size_t d = 0; d < type.shape.size(); ++d) {
    if (type.shape[d] == kDynamicDimension) continue;
    const DimensionExpression& dimension = expected.dimensions[d];
    const Result<int64_t> size = dimension.evaluate({});
    if (!dimension.variables().empty() || !size || *size != type.shape[d]) return mismatch();
  }
  return {};
}

}  // namespace

CallingMetadata callingMetadata(const Exported& exported) {
  return {exported.callingConventionVersion,
          exported.platforms,
          exported.inputs,
          exported.outputs,
          exported.keptInputs,
          exported.orderedEffects.size()};
}

Result<MainSignature> matchMain(const CallingMetadata& metadata, const Function& main) {
  if (metadata.version < kOldestCallingConvention || metadata.version > kNewestCallingConvention)
    return unsupported("calling convention {} is unknown; {} to {} are known", metadata.version,
                       kOldestCallingConvention, kNewestCallingConvention);
  MainSignature signature;
  const size_t tokens = metadata.version >= kTokensSince ? metadata.orderedEffects : 0;
  const std::vector<ValueType>& types = main.argumentTypes;
  size_t next = 0;

  const std::string* firstTag = types.empty() ? nullptr : globalConstant(main, 0);
  if (metadata.platforms.size() > 1 || (firstTag && *firstTag == kPlatformIndexName)) {
    if (types.empty() || types[0].kind != ValueType::Kind::kTensor || !types[0].shape.empty() ||
        (types[0].element != ElementType::kI32 && types[0].element != ElementType::kI64))
      return badInput(
          "the module serves {} platforms, but the first argument of its main is "
          "{}; expected a platform index (i32[] or i64[])",
          metadata.platforms.size(),
          types.empty() ? std::string("missing") : describeType(types[0]));
    if (firstTag && !firstTag->empty() && *firstTag != kPlatformIndexName)
      return badInput("the first argument of main is tagged '{}'; expected '{}'", *firstTag,
                      kPlatformIndexName);
    signature.arguments.push_back({MainArgument::Kind::kPlatformIndex, 0, {}});
    next = 1;
  }
  for (; next < types.size(); ++next) {
    const std::string* tag = globalConstant(main, next);
    if (!tag || tag->empty()) break;
    signature.arguments.push_back({MainArgument::Kind::kDimensionVariable, 0, *tag});
  }
  const size_t expected = next + tokens + metadata.keptInputs.size();
  if (types.size() != expected)
    return badInput(
        "main takes {} arguments; calling convention {} needs {}: {} before the "
        "tokens, {} tokens and {} kept inputs",
        types.size(), metadata.version, expected, next, tokens, metadata.keptInputs.size());
  for (size_t i = 0; i < tokens; ++i, ++next) {
    if (types[next].kind != ValueType::Kind::kToken)
      return badInput("argument {} of main is {}; expected the token of ordered effect {}", next,
                      describeType(types[next]), i);
    signature.arguments.push_back({MainArgument::Kind::kToken, i, {}});
  }
  for (const uint16_t input : metadata.keptInputs) {
    if (input >= metadata.inputs.size())
      return badInput("input {} is kept, but there are {} inputs", input, metadata.inputs.size());
    const std::string place = fmt::format("argument {} of main (input {})", next, input);
    RETURN_IF_ERROR(checkType(metadata.inputs[input], types[next], place));
    signature.arguments.push_back({MainArgument::Kind::kInput, input, {}});
    ++next;
  }

  if (main.resultTypes.size() != tokens + metadata.outputs.size())
    return badInput("main returns {} values; expected {} tokens and {} outputs",
                    main.resultTypes.size(), tokens, metadata.outputs.size());
  for (size_t i = 0; i < main.resultTypes.size(); ++i) {
    const ValueType& type = main.resultTypes[i];
    if (i < tokens) {
      if (type.kind != ValueType::Kind::kToken)
        return badInput("result {} of main is {}; expected a token", i, describeType(type));
      continue;
    }
    const std::string place = fmt::format("result {} of main (output {})", i, i - tokens);
    RETURN_IF_ERROR(checkType(metadata.outputs[i - tokens], type, place));
  }
  signature.tokenResults = tokens;
  return signature;
}

Result<size_t> platformIndex(const CallingMetadata& metadata, std::string_view platform) {
  const auto found = std::ranges::find(metadata.platforms, platform);
  if (found == metadata.platforms.end())
    return unsupported("it was lowered for {}, not for {}", fmt::join(metadata.platforms, ", "),
                       platform);
  return static_cast<size_t>(found - metadata.platforms.begin());
}

Result<DimensionValues> solveInputs(const CallingMetadata& metadata,
                                    std::span<const Tensor> inputs) {
  if (inputs.size() != metadata.inputs.size())
    return badInput("{} inputs were given; {} are needed", inputs.size(), metadata.inputs.size());
  std::vector<DimensionEquation> equations;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const AbstractValue& value = metadata.inputs[i];
    ASSIGN_OR_RETURN(const Expected expected,
                     within(fmt::format("input {}", i), expectedOf(value)));
    if (inputs[i].type() != expected.type || inputs[i].shape().size() != expected.dimensions.size())
      return badInput("input {} is {}; expected {}", i, describe(inputs[i]), describeValue(value));
    for (size_t d = 0; d < expected.dimensions.size(); ++d) {
      const std::string text =
          d < value.shape.size() ? value.shape[d] : std::string("part of a key");
      equations.push_back({expected.dimensions[d], inputs[i].shape()[d],
                           fmt::format("dimension {} of input {} ('{}')", d, i, text)});
    }
  }
  return solveDimensions(equations);
}

Result<std::vector<Shape>> outputShapes(const CallingMetadata& metadata,
                                        const DimensionValues& values) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < metadata.outputs.size(); ++i) {
    const std::string place = fmt::format("output {}", i);
    ASSIGN_OR_RETURN(const Expected expected, within(place, expectedOf(metadata.outputs[i])));
    Shape& shape = shapes.emplace_back();
    for (const DimensionExpression& dimension : expected.dimensions) {
      ASSIGN_OR_RETURN(const int64_t size, within(place, dimension.evaluate(values)));
      if (size < 0)
        return badInput("output {} ({}) would have the dimension {}", i,
                        describeValue(metadata.outputs[i]), size);
      shape.push_back(size);
    }
  }
  return shapes;
}

bool needsShapeRefinement(int version, const AttributeMap& moduleAttributes) {
  if (version < 8) return version == 7;
  const auto found = moduleAttributes.find("jax.uses_shape_polymorphism");
  if (found == moduleAttributes.end()) return false;
  const bool* flag = std::get_if<bool>(&found->second.value);
  return !flag || *flag;
}

}  // namespace vintage::golden

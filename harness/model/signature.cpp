#include "harness/model/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"
#include "harness/model/array_files.h"

namespace vintage::harness {
using namespace golden;
using nlohmann::json;

namespace {

Result<ArrayType> readValue(const json& described) {
  const std::string dtype = described.at("dtype");
  std::vector<std::string> shape = described.at("shape");
  ArrayType value;
  if (const auto carrier = dtypeCarrier(dtype)) {
    value.type = carrier->type;
    if (carrier->trailingDimension > 0) shape.push_back(std::to_string(carrier->trailingDimension));
  } else if (const auto type = parseDtypeName(dtype)) {
    value.type = *type;
  } else {
    return unsupported("arrays of {} are not known", dtype);
  }
  for (const std::string& dimension : shape) {
    ASSIGN_OR_RETURN(auto expression, DimensionExpression::parse(dimension));
    value.shape.push_back(std::move(expression));
  }
  value.stated = fmt::format("{}[{}]", shortName(value.type), fmt::join(shape, ","));
  return value;
}

Result<std::vector<ArrayType>> readValues(const json& details, const char* field) {
  std::vector<ArrayType> values;
  for (const json& described : details.value(field, json::array())) {
    if (described == "token") continue;
    ASSIGN_OR_RETURN(values.emplace_back(), readValue(described));
  }
  return values;
}

std::vector<ElementType> typesOf(const std::vector<ArrayType>& values) {
  std::vector<ElementType> types;
  for (const ArrayType& value : values) types.push_back(value.type);
  return types;
}

}  // namespace

std::set<std::string, std::less<>> Signature::variables() const {
  std::set<std::string, std::less<>> names;
  for (const ArrayType& value : inputs)
    for (const DimensionExpression& dimension : value.shape) names.merge(dimension.variables());
  return names;
}

Result<std::vector<Tensor>> Signature::readInputs(std::span<const std::string> files) const {
  return readArrayFiles(files, typesOf(inputs), "inputs");
}

Result<std::vector<Tensor>> Signature::readOutputs(std::span<const std::string> files) const {
  return readArrayFiles(files, typesOf(outputs), "outputs");
}

Status Signature::checkShapes(std::span<const Tensor> given,
                              std::span<const Tensor> computed) const {
  std::vector<DimensionEquation> equations;
  const auto add = [&](std::span<const ArrayType> types, std::span<const Tensor> tensors,
                       const char* what) -> Status {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Shape& shape = tensors[i].shape();
      const std::string place = fmt::format("{} {} is {} and the model states {}", what, i,
                                            describe(tensors[i]), types[i].stated);
      if (shape.size() != types[i].shape.size())
        return usageError("{}: give an array of that shape", place);
      for (size_t d = 0; d < shape.size(); ++d)
        equations.push_back(
            {types[i].shape[d], shape[d], fmt::format("{}: dimension {}", place, d)});
    }
    return {};
  };
  RETURN_IF_ERROR(add(inputs, given, "input"));
  RETURN_IF_ERROR(add(outputs, computed, "output"));
  const auto solved = solveDimensions(equations);
  // Some shapes determine no variable; then running tells.
  if (!solved && solved.error().kind != Error::Kind::kUnsupported)
    return usageError("{}", solved.error().message);
  return {};
}

Result<Signature> signatureOf(const json& details, const std::string& name) {
  Signature signature;
  for (const auto& [field, values] :
       {std::pair{"inputs", &signature.inputs}, {"outputs", &signature.outputs}}) {
    ASSIGN_OR_RETURN(*values,
                     within(fmt::format("{}: {}", name, field), readValues(details, field)));
  }
  return signature;
}

}  // namespace vintage::harness

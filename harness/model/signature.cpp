#include "harness/model/signature.h"

#include <optional>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"
#include "primitives/catalogue/inputs.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;

namespace {

using nlohmann::json;

constexpr Domain kFloats{.low = -1, .high = 1};
constexpr Domain kIntegers{.low = 0, .high = 7, .wholeNumbers = true};
// Sizes that an even, a square or a multiple of 8 may be asked to be.
constexpr int64_t kMostElements = int64_t{1} << 30;
constexpr int64_t kSizes[] = {3, 4, 8, 2, 16, 6, 12, 24, 32, 64, 1, 128};

Result<ArrayType> readValue(const json& described) {
  const std::string dtype = described.at("dtype");
  ArrayType value;
  int64_t trailing = 0;
  if (const auto carrier = dtypeCarrier(dtype)) {
    value.type = carrier->type;
    trailing = carrier->trailingDimension;
  } else if (const auto type = parseDtypeName(dtype)) {
    value.type = *type;
  } else {
    return unsupported("arrays of {} are not known", dtype);
  }
  for (const json& dimension : described.at("shape")) {
    ASSIGN_OR_RETURN(auto expression,
                     DimensionExpression::parse(dimension.get_ref<const std::string&>()));
    value.shape.push_back(std::move(expression));
  }
  if (trailing > 0) {
    ASSIGN_OR_RETURN(auto expression, DimensionExpression::parse(std::to_string(trailing)));
    value.shape.push_back(std::move(expression));
  }
  return value;
}

Result<std::vector<ArrayType>> readValues(const json& details, const char* field) {
  std::vector<ArrayType> values;
  for (const json& described : details.value(field, json::array())) {
    if (described == "token") continue;
    ASSIGN_OR_RETURN(auto value, readValue(described));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

std::set<std::string, std::less<>> Signature::variables() const {
  std::set<std::string, std::less<>> names;
  for (const ArrayType& value : inputs)
    for (const DimensionExpression& dimension : value.shape) names.merge(dimension.variables());
  return names;
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

std::vector<ElementType> typesOf(const std::vector<ArrayType>& values) {
  std::vector<ElementType> types;
  for (const ArrayType& value : values) types.push_back(value.type);
  return types;
}

Result<std::vector<Tensor>> makeInputs(const Signature& signature, const DimensionValues& values) {
  Random random(hashOf("inputs of a model"));
  std::vector<Tensor> tensors;
  for (const ArrayType& value : signature.inputs) {
    Shape shape;
    for (const DimensionExpression& dimension : value.shape) {
      ASSIGN_OR_RETURN(shape.emplace_back(), dimension.evaluate(values));
    }
    const auto elements = checkedElementCount(shape);
    if (!elements || *elements > kMostElements)
      return usageError("an input would be {}; inputs of up to {} elements are made",
                        describe(value.type, shape), kMostElements);
    const bool whole = isInteger(value.type) || isPredicate(value.type);
    tensors.push_back(makeInput(value.type, shape, whole ? kIntegers : kFloats, random));
  }
  return tensors;
}

std::vector<DimensionValues> proposeSizes(const Signature& signature,
                                          const DimensionValues& chosen) {
  std::vector<std::string> open;
  for (const std::string& name : signature.variables())
    if (!chosen.contains(name)) open.push_back(name);
  if (open.empty()) return {chosen};
  std::vector<DimensionValues> proposals;
  const auto propose = [&](const auto& sizeOf) {
    DimensionValues values = chosen;
    for (size_t i = 0; i < open.size(); ++i) values[open[i]] = sizeOf(static_cast<int64_t>(i));
    proposals.push_back(std::move(values));
  };
  const auto count = static_cast<int64_t>(open.size());
  for (const int64_t size : kSizes) {
    propose([&](int64_t) { return size; });
    if (count == 1) continue;
    propose([&](int64_t i) { return size * (i + 1); });
    propose([&](int64_t i) { return size * (count - i); });
  }
  return proposals;
}

}  // namespace vintage::harness

#include "harness/consumers/pjrt/preparation/placeholder_inputs.h"

#include <algorithm>
#include <charconv>

#include "golden/base/failures.h"
#include "golden/exported/dtypes.h"

namespace vintage::harness::consumers::pjrt::preparation {
namespace {

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
    ASSIGN_OR_RETURN(auto tensor, Tensor::make(carrier->type, std::move(shape)));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace

Result<std::vector<Tensor>> placeholderInputs(const Callable& callable, const Function& main) {
  if (callable.tellsInputs) return declaredInputs(callable.metadata);
  std::vector<Tensor> inputs;
  for (const ValueType& type : main.argumentTypes) {
    if (type.kind == ValueType::Kind::kToken) continue;
    if (type.kind != ValueType::Kind::kTensor ||
        std::ranges::find(type.shape, kDynamicDimension) != type.shape.end())
      return unsupported("argument {} of main is {}, and the artifact is kept without inputs",
                         inputs.size(), type.text);
    ASSIGN_OR_RETURN(auto tensor, Tensor::make(type.element, type.shape));
    inputs.push_back(std::move(tensor));
  }
  // bindBare puts the platform index before them.
  if (callable.metadata.platforms.size() > 1 && !inputs.empty() && inputs[0].shape().empty())
    inputs.erase(inputs.begin());
  return inputs;
}

}  // namespace vintage::harness::consumers::pjrt::preparation

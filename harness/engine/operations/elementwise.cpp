// Kernels of whole tensors over ElementLoops.

#include "golden/base/failures.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A scalar operand beside others (select's predicate, clamp's bounds), repeated.
Tensor repeated(const Tensor& scalar, const Shape& shape) {
  Tensor full = Tensor::uninitialized(scalar.type(), shape);
  fill(full.mutableBytes(), scalar.bytes());
  return full;
}

// An operand whose buffer the result can take over.
Value* reusable(KernelCall& call, ElementType type, const Shape& shape) {
  for (Value& value : call.owned) {
    const Tensor& tensor = value.tensor;
    if (tensor.has(type, shape) && tensor.unshared()) return &value;
  }
  return nullptr;
}

Status runElementwise(const ElementLoop& loop, const std::string& name, ElementType type,
                      bool mayRepeat, KernelCall& call) {
  const Shape* shape = &call.operands[0].tensor.shape();
  for (const Value& operand : call.operands)
    if (operand.tensor.rank() > static_cast<int64_t>(shape->size()))
      shape = &operand.tensor.shape();
  std::vector<Tensor> repeatedOperands;
  const void* sources[3];
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& operand = call.operands[i].tensor;
    if (operand.has(operand.type(), *shape)) {
      sources[i] = operand.bytes().data();
    } else if (mayRepeat && operand.rank() == 0) {
      repeatedOperands.reserve(3);
      repeatedOperands.push_back(repeated(operand, *shape));
      sources[i] = repeatedOperands.back().bytes().data();
    } else {
      return badInput("{}: operand {} is {}, and another one has the shape of {}", name, i,
                      describe(operand), describe(type, *shape));
    }
  }
  const auto operands = std::span<const void* const>(sources, call.operands.size());
  if (Value* value = reusable(call, type, *shape)) {
    Tensor& tensor = value->tensor;
    loop(operands, tensor.mutableBytes().data(), static_cast<size_t>(tensor.size()));
    call.results[0].tensor = std::move(tensor);
    return {};
  }
  RETURN_IF_ERROR(call.makeResult(0, type, *shape));
  Tensor& result = call.results[0].tensor;
  loop(operands, result.mutableBytes().data(), static_cast<size_t>(result.size()));
  return {};
}

}  // namespace

Result<Kernel> makeElementwise(const KernelRequest& request) {
  const std::string& name = request.operation.name;
  std::vector<ElementType> types;
  for (const ValueType& type : request.operandTypes) {
    if (type.kind != ValueType::Kind::kTensor && type.kind != ValueType::Kind::kUnrankedTensor)
      return badInput("{}: an operand is {}; it must be a tensor", name, type.text);
    types.push_back(type.element);
  }
  if (request.resultTypes.size() != 1) return badInput("{} must have one result", name);
  const ElementType type = request.resultTypes[0].element;
  auto loop = makeElementLoop(request.operation, types, type);
  if (!loop && !types.empty() && types.size() <= 3)
    return unsupported("the engine does not have {}", name);
  if (!loop) return badInput("{} has {} operands", name, types.size());
  if (!*loop) return tl::unexpected(loop->error());
  const bool mayRepeat = name == "stablehlo.select" || name == "stablehlo.clamp";
  return [loop = std::move(**loop), name, type, mayRepeat](KernelCall& call) {
    return runElementwise(loop, name, type, mayRepeat, call);
  };
}

}  // namespace vintage::harness

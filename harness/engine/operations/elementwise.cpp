// Kernels of whole tensors over ElementLoops.
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

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
    if (operand.tensor.rank() > std::ssize(*shape)) shape = &operand.tensor.shape();
  std::vector<Tensor> repeatedOperands;
  const void* sources[3];
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const Tensor& operand = call.operands[i].tensor;
    if (operand.has(operand.type(), *shape)) {
      sources[i] = operand.bytes().data();
    } else if (mayRepeat && operand.rank() == 0) {
      // A scalar beside others: select's predicate, clamp's bounds.
      repeatedOperands.reserve(3);
      Tensor& full = repeatedOperands.emplace_back(Tensor::uninitialized(operand.type(), *shape));
      fill(full.mutableBytes(), operand.bytes());
      sources[i] = full.bytes().data();
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
  Tensor& result = call.results[0].tensor;
  ASSIGN_OR_RETURN(result, Tensor::makeUninitialized(type, *shape, call.availableBytes));
  loop(operands, result.mutableBytes().data(), static_cast<size_t>(result.size()));
  return {};
}

// The common shape of the operands: aligned at their last dimensions, and
// dimensions of size 1 stretched.
Result<Shape> commonShape(std::span<const Value> operands, const std::string& name) {
  Shape shape;
  for (const Value& operand : operands) {
    const Shape& other = operand.tensor.shape();
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t& size = shape[shape.size() - other.size() + i];
      if (size == 1) {
        size = other[i];
      } else if (other[i] != 1 && other[i] != size) {
        return badInput("{}: {} cannot be broadcast to [{}].", name, describe(operand.tensor),
                        fmt::join(shape, ","));
      }
    }
  }
  return shape;
}

// The dimensions of the result that those of `tensor` become.
std::vector<int64_t> placement(const Tensor& tensor, size_t rank,
                               const std::vector<int64_t>& given) {
  if (tensor.rank() < static_cast<int64_t>(rank) && given.size() == tensor.shape().size())
    return given;
  std::vector<int64_t> dimensions;
  for (size_t i = rank - tensor.shape().size(); i < rank; ++i)
    dimensions.push_back(static_cast<int64_t>(i));
  return dimensions;
}

// The operands of one shape. Where dimensions are given, they are those of the smaller
// operand; the larger one gives the rank.
Result<std::vector<Value>> broadcastOperands(const std::string& name,
                                             const std::vector<int64_t>& given,
                                             const KernelCall& call) {
  Shape shape;
  if (given.empty()) {
    ASSIGN_OR_RETURN(shape, commonShape(call.operands, name));
  } else {
    for (const Value& operand : call.operands)
      if (operand.tensor.shape().size() > shape.size()) shape = operand.tensor.shape();
    for (const Value& operand : call.operands) {
      const auto places = placement(operand.tensor, shape.size(), given);
      for (size_t i = 0; i < places.size(); ++i) {
        const bool known = places[i] >= 0 && places[i] < std::ssize(shape);
        if (known && shape[places[i]] == 1) shape[places[i]] = operand.tensor.shape()[i];
      }
    }
  }
  std::vector<Value> operands(call.operands.begin(), call.operands.end());
  for (Value& operand : operands) {
    if (operand.tensor.shape() == shape) continue;
    ASSIGN_OR_RETURN(
        operand.tensor,
        within(name, broadcastTensor(operand.tensor, placement(operand.tensor, shape.size(), given),
                                     shape, call.availableBytes)));
  }
  return operands;
}

// "chlo.broadcast_add" is stablehlo.add over broadcast operands; the functions
// that only CHLO has keep their dialect.
std::string innerName(std::string_view name) {
  constexpr std::string_view kPrefix = "chlo.broadcast_";
  if (!name.starts_with(kPrefix)) return std::string(name);
  const std::string rest(name.substr(kPrefix.size()));
  const bool ours = rest == "zeta" || rest == "polygamma" || rest == "next_after";
  return (ours ? "chlo." : "stablehlo.") + rest;
}

}  // namespace

Result<Kernel> makeElementwise(const KernelRequest& request) {
  const std::string& name = request.operation.name;
  for (const ValueType& type : request.operandTypes)
    if (type.kind != ValueType::Kind::kTensor && type.kind != ValueType::Kind::kUnrankedTensor)
      return badInput("{}: an operand is {}; it must be a tensor", name, type.text);
  const std::vector<ElementType> types = elementsOf(request.operandTypes);
  if (request.resultTypes.size() != 1) return badInput("{} must have one result", name);
  const ElementType type = request.resultTypes[0].element;
  auto loop = makeElementLoop({request.operation, types, type});
  if (!loop && !types.empty() && types.size() <= 3)
    return unsupported("the engine does not have {}", name);
  if (!loop) return badInput("{} has {} operands", name, types.size());
  if (!*loop) return tl::unexpected(loop->error());
  const bool mayRepeat = name == "stablehlo.select" || name == "stablehlo.clamp";
  return [loop = std::move(**loop), name, type, mayRepeat](KernelCall& call) {
    return runElementwise(loop, name, type, mayRepeat, call);
  };
}

Result<Kernel> makeBroadcasting(const KernelRequest& request) {
  const std::string& name = request.operation.name;
  ASSIGN_OR_RETURN(auto dimensions,
                   integersOf(request.operation, "broadcast_dimensions", std::vector<int64_t>{}));
  Operation inner = request.operation;
  inner.name = innerName(name);
  inner.attributes.erase("broadcast_dimensions");
  ASSIGN_OR_RETURN(auto kernel, makeElementwise(request.with(inner)));
  return Kernel([kernel, name, dimensions](KernelCall& call) -> Status {
    ASSIGN_OR_RETURN(auto operands, broadcastOperands(name, dimensions, call));
    KernelCall one{operands, call.results, operands, call.availableBytes};
    return kernel(one);
  });
}

}  // namespace vintage::harness

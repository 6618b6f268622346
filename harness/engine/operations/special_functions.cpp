// CHLO's elementwise operations, plain and broadcasting.
#include "harness/engine/operations/special_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operand_checks.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

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

struct ElementwiseKernel {
  std::string name;
  ElementLoop loop;
  ElementType type;
  bool broadcasts = false;
  std::vector<int64_t> broadcastDimensions;
};

Result<Tensor> run(const ElementwiseKernel& kernel, KernelCall& call) {
  Shape shape = call.operands[0].tensor.shape();
  if (kernel.broadcasts && kernel.broadcastDimensions.empty()) {
    ASSIGN_OR_RETURN(shape, commonShape(call.operands, kernel.name));
  } else if (kernel.broadcasts) {
    // The smaller operand names its dimensions; the larger one gives the rank.
    for (const Value& operand : call.operands) {
      if (operand.tensor.shape().size() > shape.size()) shape = operand.tensor.shape();
    }
    for (const Value& operand : call.operands) {
      const auto places = placement(operand.tensor, shape.size(), kernel.broadcastDimensions);
      for (size_t i = 0; i < places.size(); ++i) {
        const bool known = places[i] >= 0 && places[i] < static_cast<int64_t>(shape.size());
        if (known && shape[places[i]] == 1) shape[places[i]] = operand.tensor.shape()[i];
      }
    }
  }
  std::vector<Tensor> operands;
  std::vector<const void*> sources;
  for (const Value& operand : call.operands) {
    if (operand.tensor.shape() == shape) {
      operands.push_back(operand.tensor);
    } else if (kernel.broadcasts) {
      ASSIGN_OR_RETURN(operands.emplace_back(),
                       within(kernel.name, broadcastTensor(operand.tensor,
                                                           placement(operand.tensor, shape.size(),
                                                                     kernel.broadcastDimensions),
                                                           shape, call.availableBytes)));
    } else {
      return badInput("{}: operands of {} and {} differ in shape.", kernel.name,
                      describe(call.operands[0].tensor), describe(operand.tensor));
    }
  }
  for (const Tensor& operand : operands) sources.push_back(operand.bytes().data());
  ASSIGN_OR_RETURN(auto result,
                   Tensor::makeUninitialized(kernel.type, std::move(shape), call.availableBytes));
  kernel.loop(sources, result.mutableBytes().data(), static_cast<size_t>(result.size()));
  return result;
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

Result<Kernel> makeClientElementwise(const KernelRequest& request) {
  ElementwiseKernel kernel;
  kernel.name = request.operation.name;
  Operation inner = request.operation;
  inner.name = innerName(kernel.name);
  kernel.broadcasts = inner.name != kernel.name || kernel.name.starts_with("chlo.broadcast_");
  ASSIGN_OR_RETURN(kernel.broadcastDimensions,
                   integersOf(request.operation, "broadcast_dimensions", std::vector<int64_t>{}));
  inner.attributes.erase("broadcast_dimensions");
  if (request.operandTypes.empty() || request.resultTypes.size() != 1) {
    return badInput("{} needs operands and one result.", kernel.name);
  }
  std::vector<ElementType> types;
  for (const ValueType& type : request.operandTypes) types.push_back(type.element);
  kernel.type = request.resultTypes[0].element;
  auto loop = makeElementLoop(inner, types, kernel.type);
  if (!loop) {
    return badInput("{} does not take {} operands.", kernel.name, types.size());
  }
  if (!*loop) return tl::unexpected(loop->error());
  kernel.loop = **std::move(loop);
  return tensorKernel([kernel = std::move(kernel)](KernelCall& call) { return run(kernel, call); });
}

namespace {

constexpr OperationEntry kSpecialFunctionsOperations[] = {
    {"chlo.constant", makeChloConstant},
    {"chlo.constant_like", makeConstantLike},
    {"chlo.ragged_dot", makeRaggedDot},
    {"chlo.scan", makeScan},
    {"chlo.top_k", makeTopK},
};

}  // namespace

std::span<const OperationEntry> specialFunctionOperations() { return kSpecialFunctionsOperations; }

}  // namespace vintage::harness

// Operations whose sizes or places are operands.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operand_checks.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The integers of an operand.
Result<std::vector<int64_t>> numbers(const KernelCall& call, size_t operand) {
  const Tensor& tensor = call.operands[operand].tensor;
  if (!isInteger(tensor.type()))
    return badInput("operand {} is {}; it must hold integers", operand, describe(tensor));
  return integerElements(tensor);
}

// Start indices as operands of one integer each, from `first` on.
Result<std::vector<int64_t>> scalarStarts(const KernelCall& call, size_t first) {
  std::vector<int64_t> starts;
  for (size_t i = first; i < call.operands.size(); ++i) {
    ASSIGN_OR_RETURN(auto start, numbers(call, i));
    if (start.size() != 1)
      return badInput("operand {} is {}; it must be a scalar", i,
                      describe(call.operands[i].tensor));
    starts.push_back(start[0]);
  }
  return starts;
}

Status checkAtLeast(const KernelRequest& request, size_t operands) {
  if (request.operandTypes.size() < operands) return checkCounts(request, operands);
  return checkCounts(request, request.operandTypes.size());
}

Result<Kernel> makeDynamicBroadcastInDim(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 2));
  ASSIGN_OR_RETURN(auto dimensions, integersOf(request.operation, "broadcast_dimensions"));
  return tensorKernel([dimensions](KernelCall& call) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto shape, numbers(call, 1));
    return broadcastTensor(call.operands[0].tensor, dimensions, shape, call.availableBytes);
  });
}

Result<Kernel> makeDynamicIota(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "iota_dimension"));
  return tensorKernel(
      [dimension, type = request.resultTypes[0].element](KernelCall& call) -> Result<Tensor> {
        ASSIGN_OR_RETURN(auto shape, numbers(call, 0));
        return iotaTensor(type, shape, dimension, call.availableBytes);
      });
}

Result<Kernel> makeDynamicPad(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 5));
  return tensorKernel([](KernelCall& call) -> Result<Tensor> {
    std::vector<int64_t> amounts[3];
    for (size_t i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(amounts[i], numbers(call, i + 2));
    }
    return padTensor(call.operands[0].tensor, call.operands[1].tensor, amounts[0], amounts[1],
                     amounts[2], call.availableBytes);
  });
}

Result<Kernel> makeDynamicReshape(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 2));
  return tensorKernel([](KernelCall& call) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto shape, numbers(call, 1));
    return call.operands[0].tensor.reshaped(std::move(shape));
  });
}

Result<Kernel> makeDynamicSlice(const KernelRequest& request) {
  RETURN_IF_ERROR(checkAtLeast(request, 1));
  ASSIGN_OR_RETURN(auto sizes, integersOf(request.operation, "slice_sizes"));
  return tensorKernel([sizes](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    ASSIGN_OR_RETURN(auto starts, scalarStarts(call, 1));
    ASSIGN_OR_RETURN(auto clamped, clampedStarts(operand, starts, sizes));
    std::vector<int64_t> limits = clamped;
    for (size_t i = 0; i < limits.size(); ++i) limits[i] += sizes[i];
    return sliceTensor(operand, clamped, limits, std::vector<int64_t>(sizes.size(), 1));
  });
}

Result<Kernel> makeDynamicUpdateSlice(const KernelRequest& request) {
  RETURN_IF_ERROR(checkAtLeast(request, 2));
  return tensorKernel([](KernelCall& call) -> Result<Tensor> {
    ASSIGN_OR_RETURN(auto starts, scalarStarts(call, 2));
    Tensor target =
        call.owned.empty() ? call.operands[0].tensor : std::move(call.owned[0].tensor);
    return updateSlice(std::move(target), call.operands[1].tensor, starts);
  });
}

Result<Kernel> makeRealDynamicSlice(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 4));
  return tensorKernel([](KernelCall& call) -> Result<Tensor> {
    std::vector<int64_t> places[3];
    for (size_t i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(places[i], numbers(call, i + 1));
    }
    return sliceTensor(call.operands[0].tensor, places[0], places[1], places[2]);
  });
}

Result<int64_t> dimensionOf(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  const auto rank = static_cast<int64_t>(request.operandTypes[0].shape.size());
  RETURN_IF_ERROR(checkDimensions(request.operation.name, "dimension", {dimension}, rank));
  return dimension;
}

Result<Kernel> makeGetDimensionSize(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(auto dimension, dimensionOf(request));
  return tensorKernel([axis = static_cast<size_t>(dimension)](KernelCall& call) -> Result<Tensor> {
    const int64_t size = call.operands[0].tensor.shape()[axis];
    if (size > INT32_MAX) return badInput("the size {} does not fit i32", size);
    Tensor result = Tensor::uninitialized(ElementType::kI32, {});
    result.mutableValues<int32_t>()[0] = static_cast<int32_t>(size);
    return result;
  });
}

// A tensor of bounded size is kept with the size that it has, so a smaller size
// cuts and a larger one appends zeros.
Result<Kernel> makeSetDimensionSize(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 2));
  ASSIGN_OR_RETURN(auto dimension, dimensionOf(request));
  const auto axis = static_cast<size_t>(dimension);
  const ValueType& type = request.resultTypes[0];
  const int64_t bound = axis < type.bounds.size() && type.bounds[axis] >= 0
                            ? type.bounds[axis]
                            : request.operandTypes[0].shape[axis];
  return tensorKernel([axis, bound](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    ASSIGN_OR_RETURN(auto size, numbers(call, 1));
    if (size.size() != 1 || size[0] < 0 || (bound >= 0 && size[0] > bound))
      return badInput("the size of dimension {} is set to {}; 0 to {} is possible", axis,
                      size.empty() ? -1 : size[0], bound);
    const std::vector<int64_t> none(operand.shape().size());
    std::vector<int64_t> after = none;
    after[axis] = size[0] - operand.shape()[axis];
    return padTensor(operand, Tensor(operand.type(), {}), none, after, none,
                     call.availableBytes);
  });
}

constexpr OperationEntry kDynamicOperations[] = {
    {"stablehlo.dynamic_broadcast_in_dim", makeDynamicBroadcastInDim},
    {"stablehlo.dynamic_iota", makeDynamicIota},
    {"stablehlo.dynamic_pad", makeDynamicPad},
    {"stablehlo.dynamic_reshape", makeDynamicReshape},
    {"stablehlo.dynamic_slice", makeDynamicSlice},
    {"stablehlo.dynamic_update_slice", makeDynamicUpdateSlice},
    {"stablehlo.get_dimension_size", makeGetDimensionSize},
    {"stablehlo.real_dynamic_slice", makeRealDynamicSlice},
    {"stablehlo.set_dimension_size", makeSetDimensionSize},
};

}  // namespace

std::span<const OperationEntry> dynamicOperations() { return kDynamicOperations; }

}  // namespace vintage::harness

// Operations that move elements, to places and sizes that are known when they are planned
// or that are operands.
#include <algorithm>
#include <array>
#include <cstring>

#include "golden/base/failures.h"
#include "golden/tensor/tensor.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// Types below eight bits take a byte each in a tensor; their bits are moved one
// by one. Slow and rare.
void copyBits(const Tensor& from, Tensor& to) {
  const int sourceBits = bitWidth(from.type()), targetBits = bitWidth(to.type());
  const std::span<const std::byte> source = from.bytes();
  const std::span<std::byte> target = to.mutableBytes();
  const size_t total = static_cast<size_t>(from.size()) * static_cast<size_t>(sourceBits);
  std::memset(target.data(), 0, target.size());
  const auto bitPlace = [](size_t bit, int bits, size_t width) {
    const size_t element = bit / static_cast<size_t>(bits);
    const size_t within = bit % static_cast<size_t>(bits);
    return std::pair(element * width + within / 8, within % 8);
  };
  for (size_t bit = 0; bit < total; ++bit) {
    const auto [byte, shift] = bitPlace(bit, sourceBits, byteWidth(from.type()));
    if ((static_cast<unsigned>(source[byte]) >> shift & 1) == 0) continue;
    const auto [targetByte, targetShift] = bitPlace(bit, targetBits, byteWidth(to.type()));
    target[targetByte] |= static_cast<std::byte>(1u << targetShift);
  }
  // Restores the sign extension.
  visitElementType(to.type(), [&]<typename T>() {
    if constexpr (kIsNarrowIntegerStorage<T>)
      for (T& value : to.mutableValues<T>()) value = T(static_cast<typename T::Byte>(value));
  });
}

// A wider element becomes a last dimension of narrower ones, lowest bits first,
// and the other way round.
Result<Tensor> bitcastTensor(const Tensor& tensor, ElementType type, size_t limitBytes) {
  const int from = bitWidth(tensor.type()), to = bitWidth(type);
  Shape shape = tensor.shape();
  const auto impossible = [&] {
    return badInput("{} has no bits for elements of {}", describe(tensor), stablehloName(type));
  };
  if (from > to) {
    if (from % to != 0) return impossible();
    shape.push_back(from / to);
  } else if (from < to) {
    if (to % from != 0 || shape.empty() || shape.back() != to / from) return impossible();
    shape.pop_back();
  }
  auto result = Tensor::makeUninitialized(type, std::move(shape), limitBytes);
  if (!result || result->size() == 0) return result;
  if (from < 8 || to < 8)
    copyBits(tensor, *result);
  else
    std::memcpy(result->mutableBytes().data(), tensor.bytes().data(), tensor.bytes().size());
  return result;
}

// A tensor of a shape that the result's type says, or that operand `i` holds: body(call, shape).
template <typename Body>
Result<Kernel> shapedKernel(const KernelRequest& request, size_t i, Body body) {
  if (i < request.operandTypes.size())
    return tensorKernel([i, body](KernelCall& call) -> Result<Tensor> {
      ASSIGN_OR_RETURN(const Shape shape, integerOperand(call, i));
      return body(call, shape);
    });
  RETURN_IF_ERROR(checkStatic(request));
  return tensorKernel(
      [shape = request.resultTypes[0].shape, body](KernelCall& call) { return body(call, shape); });
}

// A tensor by three lists that are attributes, or the operands from `first` on: body(call, lists).
template <typename Body>
Result<Kernel> listedKernel(const KernelRequest& request, size_t first,
                            std::array<const char*, 3> names, Body body) {
  using Lists = std::array<std::vector<int64_t>, 3>;
  if (first < request.operandTypes.size())
    return tensorKernel([first, body](KernelCall& call) -> Result<Tensor> {
      Lists lists;
      for (size_t i = 0; i < lists.size(); ++i) {
        ASSIGN_OR_RETURN(lists[i], integerOperand(call, first + i));
      }
      return body(call, lists);
    });
  Lists lists;
  for (size_t i = 0; i < lists.size(); ++i) {
    ASSIGN_OR_RETURN(lists[i], integersOf(request.operation, names[i]));
  }
  return tensorKernel([lists, body](KernelCall& call) { return body(call, lists); });
}

Result<Kernel> makeBroadcastInDim(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto dimensions, integersOf(request.operation, "broadcast_dimensions"));
  return shapedKernel(request, 1, [dimensions](KernelCall& call, const Shape& shape) {
    const Tensor& operand = call.operands[0].tensor;
    if (operand.shape() == shape && std::ranges::is_sorted(dimensions))
      return Result<Tensor>(operand);
    return broadcastTensor(operand, dimensions, shape, call.availableBytes);
  });
}

// New dimensions in front.
Result<Kernel> makeBroadcast(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto sizes, integersOf(request.operation, "broadcast_sizes"));
  return tensorKernel([sizes](KernelCall& call) {
    const Tensor& operand = call.operands[0].tensor;
    Shape shape = sizes;
    std::vector<int64_t> dimensions;
    for (const int64_t size : operand.shape()) {
      dimensions.push_back(std::ssize(shape));
      shape.push_back(size);
    }
    return broadcastTensor(operand, dimensions, shape, call.availableBytes);
  });
}

Result<Kernel> makeReshape(const KernelRequest& request) {
  return shapedKernel(request, 1, [](KernelCall& call, const Shape& shape) {
    return call.operands[0].tensor.reshaped(shape);
  });
}

Result<Kernel> makeTranspose(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto permutation, integersOf(request.operation, "permutation"));
  return tensorKernel([permutation](KernelCall& call) {
    return transposeTensor(call.operands[0].tensor, permutation);
  });
}

Result<Kernel> makeReverse(const KernelRequest& request) {
  ASSIGN_OR_RETURN(auto dimensions, integersOf(request.operation, "dimensions"));
  return tensorKernel([dimensions](KernelCall& call) {
    return reverseTensor(call.operands[0].tensor, dimensions);
  });
}

Result<Kernel> makeSlice(const KernelRequest& request) {
  return listedKernel(request, 1, {"start_indices", "limit_indices", "strides"},
                      [](KernelCall& call, const auto& lists) {
                        return sliceTensor(call.operands[0].tensor, lists[0], lists[1], lists[2]);
                      });
}

Result<Kernel> makePad(const KernelRequest& request) {
  return listedKernel(request, 2, {"edge_padding_low", "edge_padding_high", "interior_padding"},
                      [](KernelCall& call, const auto& lists) {
                        return padTensor(call.operands[0].tensor, call.operands[1].tensor, lists[0],
                                         lists[1], lists[2], call.availableBytes);
                      });
}

Result<Kernel> makeConcatenate(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  return tensorKernel([dimension](KernelCall& call) {
    std::vector<const Tensor*> tensors;
    for (const Value& operand : call.operands) tensors.push_back(&operand.tensor);
    return concatenateTensors(tensors, dimension, call.availableBytes);
  });
}

Result<Kernel> makeIota(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "iota_dimension"));
  return shapedKernel(
      request, 0,
      [dimension, type = request.resultTypes[0].element](KernelCall& call, const Shape& shape) {
        return iotaTensor(type, shape, dimension, call.availableBytes);
      });
}

Result<Kernel> makeBitcastConvert(const KernelRequest& request) {
  return tensorKernel([type = request.resultTypes[0].element](KernelCall& call) {
    return bitcastTensor(call.operands[0].tensor, type, call.availableBytes);
  });
}

// Start indices as operands of one integer each, from `first` on.
Result<std::vector<int64_t>> scalarStarts(const KernelCall& call, size_t first) {
  std::vector<int64_t> starts;
  for (size_t i = first; i < call.operands.size(); ++i) {
    ASSIGN_OR_RETURN(starts.emplace_back(), scalarOperand(call, i));
  }
  return starts;
}

Status checkAtLeast(const KernelRequest& request, size_t operands) {
  if (request.operandTypes.size() >= operands) return {};
  return badInput("{} has {} operands; it takes at least {}", request.operation.name,
                  request.operandTypes.size(), operands);
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
    return updateSlice(call.take(0).tensor, call.operands[1].tensor, starts);
  });
}

Result<size_t> dimensionOf(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  const auto rank = std::ssize(request.operandTypes[0].shape);
  RETURN_IF_ERROR(checkDimensions(request.operation.name, "dimension", {dimension}, rank));
  return static_cast<size_t>(dimension);
}

Result<Kernel> makeGetDimensionSize(const KernelRequest& request) {
  ASSIGN_OR_RETURN(const size_t axis, dimensionOf(request));
  return tensorKernel([axis](KernelCall& call) -> Result<Tensor> {
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
  ASSIGN_OR_RETURN(const size_t axis, dimensionOf(request));
  const ValueType& type = request.resultTypes[0];
  const int64_t bound = axis < type.bounds.size() && type.bounds[axis] >= 0
                            ? type.bounds[axis]
                            : request.operandTypes[0].shape[axis];
  return tensorKernel([axis, bound](KernelCall& call) -> Result<Tensor> {
    const Tensor& operand = call.operands[0].tensor;
    ASSIGN_OR_RETURN(auto size, scalarOperand(call, 1));
    if (size < 0 || (bound >= 0 && size > bound))
      return badInput("the size of dimension {} is set to {}; 0 to {} is possible", axis, size,
                      bound);
    const std::vector<int64_t> none(operand.shape().size());
    std::vector<int64_t> after = none;
    after[axis] = size - operand.shape()[axis];
    return padTensor(operand, Tensor(operand.type(), {}), none, after, none, call.availableBytes);
  });
}

}  // namespace

std::vector<OperationEntry> shapeOperations() {
  return {
      {"stablehlo.bitcast_convert", makeBitcastConvert, 1, 1},
      {"stablehlo.broadcast", makeBroadcast, 1, 1},
      {"stablehlo.broadcast_in_dim", makeBroadcastInDim, 1, 1},
      {"stablehlo.concatenate", makeConcatenate, kAnyNumber, 1},
      {"stablehlo.dynamic_broadcast_in_dim", makeBroadcastInDim, 2, 1},
      {"stablehlo.dynamic_iota", makeIota, 1, 1},
      {"stablehlo.dynamic_pad", makePad, 5, 1},
      {"stablehlo.dynamic_reshape", makeReshape, 2, 1},
      {"stablehlo.dynamic_slice", makeDynamicSlice, kAnyNumber, 1},
      {"stablehlo.dynamic_update_slice", makeDynamicUpdateSlice, kAnyNumber, 1},
      {"stablehlo.get_dimension_size", makeGetDimensionSize, 1, 1},
      {"stablehlo.iota", makeIota, 0, 1},
      {"stablehlo.pad", makePad, 2, 1},
      {"stablehlo.real_dynamic_slice", makeSlice, 4, 1},
      {"stablehlo.reshape", makeReshape, 1, 1},
      {"stablehlo.reverse", makeReverse, 1, 1},
      {"stablehlo.set_dimension_size", makeSetDimensionSize, 2, 1},
      {"stablehlo.slice", makeSlice, 1, 1},
      {"stablehlo.transpose", makeTranspose, 1, 1},
  };
}

}  // namespace vintage::harness

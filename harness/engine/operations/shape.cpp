// Operations that move elements, with everything but the operands known when
// they are planned.
#include <algorithm>
#include <cstring>

#include "golden/base/failures.h"
#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operand_checks.h"
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

Result<Kernel> makeBroadcastInDim(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  RETURN_IF_ERROR(checkStatic(request));
  ASSIGN_OR_RETURN(auto dimensions, integersOf(request.operation, "broadcast_dimensions"));
  return tensorKernel([dimensions, shape = request.resultTypes[0].shape](KernelCall& call) {
    const Tensor& operand = call.operands[0].tensor;
    if (operand.shape() == shape && std::ranges::is_sorted(dimensions))
      return Result<Tensor>(operand);
    return broadcastTensor(operand, dimensions, shape, call.availableBytes);
  });
}

// New dimensions in front.
Result<Kernel> makeBroadcast(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(auto sizes, integersOf(request.operation, "broadcast_sizes"));
  return tensorKernel([sizes](KernelCall& call) {
    const Tensor& operand = call.operands[0].tensor;
    Shape shape = sizes;
    std::vector<int64_t> dimensions;
    for (const int64_t size : operand.shape()) {
      dimensions.push_back(static_cast<int64_t>(shape.size()));
      shape.push_back(size);
    }
    return broadcastTensor(operand, dimensions, shape, call.availableBytes);
  });
}

Result<Kernel> makeReshape(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  RETURN_IF_ERROR(checkStatic(request));
  return tensorKernel([shape = request.resultTypes[0].shape](KernelCall& call) {
    return call.operands[0].tensor.reshaped(shape);
  });
}

Result<Kernel> makeTranspose(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(auto permutation, integersOf(request.operation, "permutation"));
  return tensorKernel([permutation](KernelCall& call) {
    return transposeTensor(call.operands[0].tensor, permutation);
  });
}

Result<Kernel> makeReverse(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  ASSIGN_OR_RETURN(auto dimensions, integersOf(request.operation, "dimensions"));
  return tensorKernel([dimensions](KernelCall& call) {
    return reverseTensor(call.operands[0].tensor, dimensions);
  });
}

Result<Kernel> makeSlice(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  CheckedAttributes read(request.operation);
  auto starts = read.integers("start_indices");
  auto limits = read.integers("limit_indices");
  auto strides = read.integers("strides", std::vector<int64_t>(starts.size(), 1));
  RETURN_IF_ERROR(read.status());
  return tensorKernel([starts, limits, strides](KernelCall& call) {
    return sliceTensor(call.operands[0].tensor, starts, limits, strides);
  });
}

Result<Kernel> makePad(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 2));
  CheckedAttributes read(request.operation);
  auto low = read.integers("edge_padding_low");
  auto high = read.integers("edge_padding_high");
  auto interior = read.integers("interior_padding");
  RETURN_IF_ERROR(read.status());
  return tensorKernel([low, high, interior](KernelCall& call) {
    return padTensor(call.operands[0].tensor, call.operands[1].tensor, low, high, interior,
                     call.availableBytes);
  });
}

Result<Kernel> makeConcatenate(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, request.operandTypes.size()));
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "dimension"));
  return tensorKernel([dimension](KernelCall& call) {
    std::vector<const Tensor*> tensors;
    for (const Value& operand : call.operands) tensors.push_back(&operand.tensor);
    return concatenateTensors(tensors, dimension, call.availableBytes);
  });
}

Result<Kernel> makeIota(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 0));
  RETURN_IF_ERROR(checkStatic(request));
  ASSIGN_OR_RETURN(const int64_t dimension, integerOf(request.operation, "iota_dimension"));
  const ValueType& type = request.resultTypes[0];
  return tensorKernel([dimension, element = type.element, shape = type.shape](KernelCall& call) {
    return iotaTensor(element, shape, dimension, call.availableBytes);
  });
}

Result<Kernel> makeBitcastConvert(const KernelRequest& request) {
  RETURN_IF_ERROR(checkCounts(request, 1));
  return tensorKernel([type = request.resultTypes[0].element](KernelCall& call) {
    return bitcastTensor(call.operands[0].tensor, type, call.availableBytes);
  });
}

constexpr OperationEntry kShapeOperations[] = {
    {"stablehlo.bitcast_convert", makeBitcastConvert},
    {"stablehlo.broadcast", makeBroadcast},
    {"stablehlo.broadcast_in_dim", makeBroadcastInDim},
    {"stablehlo.concatenate", makeConcatenate},
    {"stablehlo.iota", makeIota},
    {"stablehlo.pad", makePad},
    {"stablehlo.reshape", makeReshape},
    {"stablehlo.reverse", makeReverse},
    {"stablehlo.slice", makeSlice},
    {"stablehlo.transpose", makeTranspose},
};

}  // namespace

std::span<const OperationEntry> shapeOperations() { return kShapeOperations; }

}  // namespace vintage::harness

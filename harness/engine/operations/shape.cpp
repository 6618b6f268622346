// Operations that move elements, with everything but the operands known when
// they are planned.
#include <algorithm>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/operation_table.h"
#include "harness/engine/operations/bitcast.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/tensor_kernel.h"

namespace vintage::harness::engine {
namespace {

Result<Kernel> makeBroadcastInDim(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  if (auto status = checkStatic(request); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto dimensions = read.integers("broadcast_dimensions");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([dimensions, shape = request.resultTypes[0].shape](KernelCall& call) {
    const Tensor& operand = call.operands[0].tensor;
    if (operand.shape() == shape && std::ranges::is_sorted(dimensions))
      return Result<Tensor>(operand);
    return broadcastTensor(operand, dimensions, shape, call.availableBytes);
  });
}

// New dimensions in front.
Result<Kernel> makeBroadcast(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto sizes = read.integers("broadcast_sizes");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
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
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  if (auto status = checkStatic(request); !status) return tl::unexpected(status.error());
  return tensorKernel([shape = request.resultTypes[0].shape](KernelCall& call) {
    return call.operands[0].tensor.reshaped(shape);
  });
}

Result<Kernel> makeTranspose(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto permutation = read.integers("permutation");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([permutation](KernelCall& call) {
    return transposeTensor(call.operands[0].tensor, permutation);
  });
}

Result<Kernel> makeReverse(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto dimensions = read.integers("dimensions");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([dimensions](KernelCall& call) {
    return reverseTensor(call.operands[0].tensor, dimensions);
  });
}

Result<Kernel> makeSlice(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto starts = read.integers("start_indices");
  auto limits = read.integers("limit_indices");
  auto strides = read.integers("strides", std::vector<int64_t>(starts.size(), 1));
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([starts, limits, strides](KernelCall& call) {
    return sliceTensor(call.operands[0].tensor, starts, limits, strides);
  });
}

Result<Kernel> makePad(const KernelRequest& request) {
  if (auto status = checkCounts(request, 2); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  auto low = read.integers("edge_padding_low");
  auto high = read.integers("edge_padding_high");
  auto interior = read.integers("interior_padding");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([low, high, interior](KernelCall& call) {
    return padTensor(call.operands[0].tensor, call.operands[1].tensor, low, high, interior,
                     call.availableBytes);
  });
}

Result<Kernel> makeConcatenate(const KernelRequest& request) {
  if (auto status = checkCounts(request, request.operandTypes.size()); !status)
    return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  const int64_t dimension = read.integer("dimension");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  return tensorKernel([dimension](KernelCall& call) {
    std::vector<const Tensor*> tensors;
    for (const Value& operand : call.operands) tensors.push_back(&operand.tensor);
    return concatenateTensors(tensors, dimension, call.availableBytes);
  });
}

Result<Kernel> makeIota(const KernelRequest& request) {
  if (auto status = checkCounts(request, 0); !status) return tl::unexpected(status.error());
  if (auto status = checkStatic(request); !status) return tl::unexpected(status.error());
  CheckedAttributes read(request.operation);
  const int64_t dimension = read.integer("iota_dimension");
  if (auto status = read.status(); !status) return tl::unexpected(status.error());
  const ValueType& type = request.resultTypes[0];
  return tensorKernel([dimension, element = type.element, shape = type.shape](KernelCall& call) {
    return iotaTensor(element, shape, dimension, call.availableBytes);
  });
}

Result<Kernel> makeBitcastConvert(const KernelRequest& request) {
  if (auto status = checkCounts(request, 1); !status) return tl::unexpected(status.error());
  return tensorKernel([type = request.resultTypes[0].element](KernelCall& call) {
    return bitcastTensor(call.operands[0].tensor, type, call.availableBytes);
  });
}

constexpr OperationEntry kEntries[] = {
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

std::span<const OperationEntry> shapeOperations() { return kEntries; }

}  // namespace vintage::harness::engine

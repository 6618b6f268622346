// Arithmetic on quantized tensors: dequantize, compute, quantize.
#pragma once

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// An operation with a quantized operand or result that does more than move
// elements around.
bool computesOnQuantized(const KernelRequest& request);

// The kernel of `entry` over the expressed types, between conversions.
Result<Kernel> makeQuantizedKernel(const OperationEntry& entry, const KernelRequest& request);

// (storage - zero point) * scale, in the expressed type.
Result<Tensor> dequantize(const Tensor& storage, const Quantization& quantization);
// round(value / scale) + zero point to nearest even, clamped to the storage's range.
Result<Tensor> quantize(const Tensor& value, const Quantization& quantization);

}  // namespace vintage::harness::engine

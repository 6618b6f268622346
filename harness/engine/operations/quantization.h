// Arithmetic on quantized tensors: dequantize, compute, quantize.
#pragma once

#include "harness/engine/kernel.h"

namespace vintage::harness {

// An operation with a quantized operand or result that does more than move
// elements around.
bool computesOnQuantized(const KernelRequest& request);

// The kernel of `entry` over the expressed types, between conversions.
Result<Kernel> makeQuantizedKernel(const OperationEntry& entry, const KernelRequest& request);

// (storage - zero point) * scale, in the expressed type.
Result<golden::Tensor> dequantize(const golden::Tensor& storage,
                                  const golden::Quantization& quantization);
// round(value / scale) + zero point to nearest even, clamped to the storage's range.
Result<golden::Tensor> quantize(const golden::Tensor& value,
                                const golden::Quantization& quantization);

}  // namespace vintage::harness

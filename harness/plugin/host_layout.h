// Arrays as they lie in a host's memory: any order of dimensions, any strides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/pjrt/c_api.h"

namespace vintage::harness {

// Bytes from one element to the next, for each dimension. They may be 0 and negative.
using ByteStrides = std::vector<int64_t>;

ByteStrides rowMajorStrides(const golden::Shape& shape, size_t width);

// Those of a layout that a caller gives; row-major where there is none. kUnsupported: tiles.
Result<ByteStrides> stridesOf(const MemoryLayout* layout, const golden::Shape& shape, size_t width);
// Whether a layout for a device is the one that all devices here have.
bool isRowMajor(const MemoryLayout& layout);

// An array of a host as a Tensor. Elements of 2 and 4 bits take a byte each, as in a Tensor, and
// their unused bits are made what a Tensor has there.
Result<golden::Tensor> tensorFromHost(golden::ElementType type, golden::Shape shape,
                                      const void* data, const ByteStrides& strides);
// How many bytes `strides` span, and the Tensor written there. Strides must not be negative.
size_t spanOf(const golden::Shape& shape, const ByteStrides& strides, size_t width);
void tensorToHost(const golden::Tensor& tensor, const ByteStrides& strides, void* target);

}  // namespace vintage::harness

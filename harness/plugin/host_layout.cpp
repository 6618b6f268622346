#include "harness/plugin/buffers.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "golden/base/failures.h"
#include "golden/tensor/narrow_integers.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {
using namespace golden;

namespace {

// The second form of the union in MemoryLayout.
struct StridedLayout {
  size_t structSize;
  void* extension;
  const int64_t* strides;
  size_t count;
};

// Copies between two strided arrays of bytes; the last dimension is an element.
void copyElements(const Shape& shape, size_t width, const std::byte* from, ByteStrides fromStrides,
                  std::byte* to, ByteStrides toStrides) {
  fromStrides.push_back(1);
  toStrides.push_back(1);
  stridedCopy(joined(shape, std::array{static_cast<int64_t>(width)}), 1,
              {from, std::move(fromStrides)}, {to, std::move(toStrides)});
}

std::byte normalized(ElementType type, std::byte given) {
  const auto value = std::to_integer<uint8_t>(given);
  switch (type) {
    case ElementType::kI1:
      return std::byte(value != 0);
    case ElementType::kI2:
      return std::byte(static_cast<uint8_t>(Int2::wrap(value)));
    case ElementType::kI4:
      return std::byte(static_cast<uint8_t>(Int4::wrap(value)));
    case ElementType::kUi2:
      return std::byte(Uint2::wrap(value));
    case ElementType::kUi4:
    case ElementType::kF4E2M1FN:
      return std::byte(Uint4::wrap(value));
    case ElementType::kF6E2M3FN:
    case ElementType::kF6E3M2FN:
      return given & std::byte(0x3f);
    default:
      return given;
  }
}

}  // namespace

ByteStrides denseStrides(const Shape& shape, const DimensionOrder& order, size_t width) {
  ByteStrides strides(shape.size());
  auto step = static_cast<int64_t>(width);
  for (const int64_t d : order) {
    strides[static_cast<size_t>(d)] = step;
    step *= std::max<int64_t>(shape[static_cast<size_t>(d)], 1);
  }
  return strides;
}

Result<ByteStrides> stridesOf(const MemoryLayout& layout, const Shape& shape, size_t width) {
  if (layout.type == kStridedLayout) {
    StridedLayout strided;
    std::memcpy(&strided, &layout.tiled, sizeof(strided));
    if (strided.count != shape.size())
      return badInput("a layout has {} strides for an array of {} dimensions", strided.count,
                      shape.size());
    return ByteStrides(strided.strides, strided.strides + strided.count);
  }
  ASSIGN_OR_RETURN(const auto order, orderOf(&layout, shape.size()));
  return denseStrides(shape, order, width);
}

Result<StoredArray> arrayFromHost(ElementType type, Shape shape, DimensionOrder order,
                                  const void* data, const ByteStrides& strides) {
  ASSIGN_OR_RETURN(auto tensor, Tensor::makeUninitialized(type, std::move(shape)));
  if (tensor.size() == 0) return StoredArray{std::move(tensor), std::move(order)};
  if (!data) return usageError("there is no data for {}", describe(tensor));
  const size_t width = byteWidth(type);
  std::span<std::byte> to = tensor.mutableBytes();
  copyElements(tensor.shape(), width, static_cast<const std::byte*>(data), strides, to.data(),
               denseStrides(tensor.shape(), order, width));
  if (bitWidth(type) < 8)
    for (std::byte& element : to) element = normalized(type, element);
  return StoredArray{std::move(tensor), std::move(order)};
}

size_t spanOf(const Shape& shape, const ByteStrides& strides, size_t width) {
  if (elementCount(shape) == 0) return 0;
  size_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    last += static_cast<size_t>((shape[d] - 1) * strides[d]);
  return last + width;
}

void arrayToHost(const StoredArray& array, const ByteStrides& strides, void* target) {
  const Tensor& tensor = array.tensor;
  const size_t width = byteWidth(tensor.type());
  copyElements(tensor.shape(), width, tensor.bytes().data(),
               denseStrides(tensor.shape(), array.order, width), static_cast<std::byte*>(target),
               strides);
}

}  // namespace vintage::harness

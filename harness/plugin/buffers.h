// An array on a device, until it is deleted or donated; and arrays in a host's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/plugin/array_layout.h"
#include "harness/plugin/client.h"

namespace vintage::harness {

class DeviceBuffer {
 public:
  using Handle = PluginBuffer;
  // None: a token, which has no content.
  DeviceBuffer(std::shared_ptr<EngineClient> client, EngineMemory& memory,
               std::optional<StoredArray> array);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  EngineMemory& memory() const { return memory_; }
  EngineDevice& device() const { return *memory_.device; }
  golden::ElementType type() const { return type_; }
  int code() const { return code_; }  // The type in the PJRT C API.
  const golden::Shape& shape() const { return shape_; }
  const DimensionOrder& order() const { return order_; }
  size_t byteCount() const { return byteCount_; }

  // kConflict once it is deleted.
  Result<StoredArray> array() const;
  // The address of its bytes, valid until it is deleted and no external reference remains.
  Result<const std::byte*> address() const;
  void remove();  // Deletes it; external references keep the bytes.
  bool removed() const;
  void referFromOutside();
  Status endReferenceFromOutside();
  // With bytes of its own: a client that writes to one by its address does not change the other.
  Result<std::unique_ptr<DeviceBuffer>> copyIn(EngineMemory& memory) const;

 private:
  void letGo();  // Under the lock.

  const std::shared_ptr<EngineClient> client_;
  EngineMemory& memory_;
  const int code_;
  const golden::ElementType type_;
  const golden::Shape shape_;
  const DimensionOrder order_;
  const size_t byteCount_;

  mutable std::mutex mutex_;
  golden::Tensor stored_;
  bool removed_ = false, held_ = true;
  int references_ = 0;
};

void answerBuffers(Api& api);

// Arrays of a host: any order of dimensions, any strides (host_layout.cpp).

// Bytes from one element to the next, for each dimension. They may be 0 and negative.
using ByteStrides = std::vector<int64_t>;

// Without gaps.
ByteStrides denseStrides(const golden::Shape& shape, const DimensionOrder& order, size_t width);
// The strides of a caller's layout. kUnsupported: tiles.
Result<ByteStrides> stridesOf(const MemoryLayout& layout, const golden::Shape& shape, size_t width);

// A copy of a host's array in this order. Elements of 2 and 4 bits take a byte each, as in a
// Tensor; their unused bits are set as a Tensor requires.
Result<StoredArray> arrayFromHost(golden::ElementType type, golden::Shape shape,
                                  DimensionOrder order, const void* data,
                                  const ByteStrides& strides);
// The number of bytes that `strides` span, and writing the array with them. Strides must not be
// negative.
size_t spanOf(const golden::Shape& shape, const ByteStrides& strides, size_t width);
void arrayToHost(const StoredArray& array, const ByteStrides& strides, void* target);

}  // namespace vintage::harness

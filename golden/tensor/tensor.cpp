#include "golden/tensor/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/tensor/block_reuse.h"

namespace vintage::golden {
namespace {

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "vintage: %s\n", message.c_str());
  std::abort();
}

}  // namespace

int64_t elementCount(std::span<const int64_t> shape) {
  return checkedElementCount(shape).value_or(std::numeric_limits<int64_t>::max());
}

std::optional<int64_t> checkedElementCount(std::span<const int64_t> shape) {
  int64_t count = 1;
  bool empty = false, tooMany = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return std::nullopt;
    if (dimension == 0) empty = true;
    // A later 0 makes the tensor empty, however large the other dimensions are.
    else if (!tooMany && __builtin_mul_overflow(count, dimension, &count))
      tooMany = true;
  }
  if (empty) return 0;
  if (tooMany) return std::nullopt;
  return count;
}

Tensor::Tensor(ElementType type, Shape shape) {
  Result<Tensor> made = allocate(type, std::move(shape), SIZE_MAX, Buffer::Fill::kZero);
  if (!made) stop(made.error().message);
  *this = std::move(*made);
}

Tensor Tensor::uninitialized(ElementType type, Shape shape) {
  Result<Tensor> made = allocate(type, std::move(shape), SIZE_MAX, Buffer::Fill::kNone);
  if (!made) stop(made.error().message);
  return std::move(*made);
}

Result<Tensor> Tensor::make(ElementType type, Shape shape, size_t limitBytes) {
  return allocate(type, std::move(shape), limitBytes, Buffer::Fill::kZero);
}

Result<Tensor> Tensor::makeUninitialized(ElementType type, Shape shape, size_t limitBytes) {
  return allocate(type, std::move(shape), limitBytes, Buffer::Fill::kNone);
}

Result<Tensor> Tensor::allocate(ElementType type, Shape shape, size_t limitBytes,
                                Buffer::Fill fill) {
  const std::optional<int64_t> count = checkedElementCount(shape);
  size_t size = 0;
  if (!count || __builtin_mul_overflow(static_cast<size_t>(*count), byteWidth(type), &size) ||
      size > static_cast<size_t>(INT64_MAX)) {
    const bool negative = std::ranges::any_of(shape, [](int64_t d) { return d < 0; });
    return failure(negative ? Error::Kind::kBadInput : Error::Kind::kResource,
                   fmt::format("{}[{}] {}", shortName(type), fmt::join(shape, ","),
                               negative ? "has a negative dimension; each must be 0 or more"
                                        : "has more bytes than can be addressed"));
  }
  if (size > limitBytes)
    return noResource("{} needs {} bytes; the limit is {}", describe(type, shape), size,
                      limitBytes);
  Tensor tensor;
  tensor.buffer_ = Buffer::allocate(size, fill);
  if (!tensor.buffer_)
    return noResource("no memory for {} ({} bytes)", describe(type, shape), size);
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.count_ = *count;
  return tensor;
}

Result<Tensor> Tensor::fromBytes(ElementType type, Shape shape, std::span<const std::byte> bytes) {
  const std::optional<int64_t> count = checkedElementCount(shape);
  // Compared by division: the product might overflow.
  const size_t width = byteWidth(type);
  if (!count || bytes.size() % width != 0 || bytes.size() / width != static_cast<size_t>(*count))
    return badInput("{} bytes were given for {}, which needs {} of {} bytes each", bytes.size(),
                    describe(type, shape),
                    count ? fmt::format("{} elements", *count)
                          : std::string("more elements than can be counted"),
                    width);
  Result<Tensor> tensor = allocate(type, std::move(shape), SIZE_MAX, Buffer::Fill::kNone);
  if (tensor && !bytes.empty()) std::memcpy(tensor->buffer_.data(), bytes.data(), bytes.size());
  return tensor;
}

Result<Tensor> Tensor::view(ElementType type, Shape shape, const std::byte* data,
                            std::function<void()> release) {
  const auto count = checkedElementCount(shape);
  if (!count) return badInput("{} is no shape", describe(type, shape));
  Tensor tensor;
  tensor.type_ = type;
  tensor.shape_ = std::move(shape);
  tensor.count_ = *count;
  tensor.buffer_ = Buffer::view(data, std::move(release));
  return tensor;
}

void Tensor::copyBuffer() {
  const std::span<const std::byte> old = bytes();
  Buffer own = Buffer::allocate(old.size(), Buffer::Fill::kNone);
  if (!own) stop(fmt::format("no memory for a copy of {}", describe(*this)));
  if (!old.empty()) std::memcpy(own.data(), old.data(), old.size());
  buffer_ = std::move(own);
}

Result<Tensor> Tensor::reshaped(Shape shape) const {
  if (checkedElementCount(shape) != count_)
    return badInput("{} cannot take the shape [{}]: the number of elements differs",
                    describe(*this), fmt::join(shape, ","));
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

bool Tensor::identical(const Tensor& other) const {
  return type_ == other.type_ && shape_ == other.shape_ &&
         std::ranges::equal(bytes(), other.bytes());
}

std::string describe(ElementType type, std::span<const int64_t> shape) {
  std::string text = fmt::format("{}[", shortName(type));
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += shape[i] < 0 ? "?" : fmt::format("{}", shape[i]);
  }
  return text + ']';
}

Buffer Buffer::allocate(size_t size, Fill fill) {
  constexpr size_t kLine = Tensor::kAlignment;
  static_assert(sizeof(Block) == 16 && alignof(std::max_align_t) >= 16);
  const bool aligned = size >= kLine;
  const size_t overhead = sizeof(Block) + (aligned ? kLine : 0);
  if (size > std::numeric_limits<size_t>::max() - overhead) return {};
  void* memory = takeBlock(size + overhead, fill == Fill::kZero);
  if (!memory) return {};
  Buffer buffer;
  buffer.block_ = new (memory) Block;
  auto address = reinterpret_cast<uintptr_t>(memory) + sizeof(Block);
  if (aligned) address = (address + kLine - 1) / kLine * kLine;
  buffer.data_ = reinterpret_cast<std::byte*>(address);
  return buffer;
}

Buffer Buffer::view(const std::byte* data, std::function<void()> release) {
  Buffer buffer = allocate(0, Fill::kNone);
  if (!buffer) stop("no memory for a view of an array");
  buffer.block_->view = new std::function<void()>(std::move(release));
  buffer.data_ = const_cast<std::byte*>(data);  // shared() keeps it from being written.
  return buffer;
}

void Buffer::free(Block* block) noexcept {
  if (block->view) {
    (*block->view)();
    delete block->view;
  }
  block->~Block();
  giveBlock(block);
}

}  // namespace vintage::golden

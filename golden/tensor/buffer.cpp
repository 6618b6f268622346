#include "golden/tensor/buffer.h"

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

namespace vintage::golden::tensor {

namespace {
constexpr size_t kLine = 64;
}

Buffer Buffer::allocate(size_t size, Fill fill) {
  static_assert(sizeof(Block) == 16 && alignof(std::max_align_t) >= 16);
  const bool aligned = size >= kLine;
  const size_t overhead = sizeof(Block) + (aligned ? kLine : 0);
  if (size > std::numeric_limits<size_t>::max() - overhead) return {};
  // calloc leaves large blocks to the kernel's zero pages.
  void* memory =
      fill == Fill::kZero ? std::calloc(1, size + overhead) : std::malloc(size + overhead);
  if (!memory) return {};
  Buffer buffer;
  buffer.block_ = new (memory) Block;
  auto address = reinterpret_cast<uintptr_t>(memory) + sizeof(Block);
  if (aligned) address = (address + kLine - 1) / kLine * kLine;
  buffer.data_ = reinterpret_cast<std::byte*>(address);
  return buffer;
}

void Buffer::free(Block* block) noexcept {
  block->~Block();
  std::free(block);
}

}  // namespace vintage::golden::tensor

// Large blocks of memory that serve one tensor after the other.
//
// The system clears each page that it gives, which takes as long as writing it. A program that
// makes and drops large tensors would have most of its memory cleared again and again.
#pragma once

#include <cstddef>

namespace vintage::golden {

// While one exists, the large blocks that tensors give back serve the next tensors; after the last
// one the system has them all. Any thread may take and give.
class BlockReuse {
 public:
  BlockReuse();
  ~BlockReuse();
  BlockReuse(const BlockReuse&) = delete;
  BlockReuse& operator=(const BlockReuse&) = delete;
};

// For Buffer alone: memory as of std::malloc, or of std::calloc where `isZero`; null where it is
// short. giveBlock takes it back.
void* takeBlock(size_t size, bool isZero);
void giveBlock(void* block) noexcept;

}  // namespace vintage::golden

#include "golden/tensor/block_reuse.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <malloc.h>
#include <sys/mman.h>

namespace vintage::golden {
namespace {

constexpr size_t kLarge = size_t{1} << 20;
constexpr size_t kMostKept = size_t{1} << 29;
constexpr size_t kHugePage = size_t{1} << 21;

struct Kept {
  std::mutex mutex;
  size_t users = 0;                     // BlockReuse objects.
  std::multimap<size_t, void*> blocks;  // By size.
  size_t bytes = 0;

  // A block of this size or up to half as large again; null where there is none.
  void* take(size_t size) {
    const std::lock_guard lock(mutex);
    const auto found = blocks.lower_bound(size);
    if (found == blocks.end() || found->first / 3 * 2 > size) return nullptr;
    bytes -= found->first;
    return blocks.extract(found).mapped();
  }
  bool keep(void* block) {
    const size_t size = ::malloc_usable_size(block);
    if (size < kLarge) return false;
    const std::lock_guard lock(mutex);
    if (users == 0 || size > kMostKept - bytes) return false;
    blocks.emplace(size, block);
    bytes += size;
    return true;
  }
  void release() {
    std::multimap<size_t, void*> all;
    {
      const std::lock_guard lock(mutex);
      all = std::exchange(blocks, {});
      bytes = 0;
    }
    for (const auto& [size, block] : all) std::free(block);
  }
};

// Never destroyed: tensors of static objects may outlive it.
Kept& kept() {
  static Kept& all = *new Kept;
  return all;
}

// Large pages cost one fault where small ones cost 512. Systems without them go on as before.
void preferLargePages(void* block, size_t size) {
  const auto begin = (reinterpret_cast<uintptr_t>(block) + kHugePage - 1) / kHugePage * kHugePage;
  const auto end = (reinterpret_cast<uintptr_t>(block) + size) / kHugePage * kHugePage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

BlockReuse::BlockReuse() {
  const std::lock_guard lock(kept().mutex);
  ++kept().users;
}

BlockReuse::~BlockReuse() {
  {
    const std::lock_guard lock(kept().mutex);
    if (--kept().users > 0) return;
  }
  kept().release();
}

void* takeBlock(size_t size, bool isZero) {
  const auto make = [&] { return isZero ? std::calloc(1, size) : std::malloc(size); };
  if (size < kLarge) return make();
  if (void* block = kept().take(size)) {
    if (isZero) std::memset(block, 0, size);
    return block;
  }
  void* block = make();
  if (block == nullptr) {
    kept().release();
    block = make();
  }
  if (block != nullptr) preferLargePages(block, size);
  return block;
}

void giveBlock(void* block) noexcept {
  try {
    if (kept().keep(block)) return;
  } catch (...) {  // No memory to note it.
  }
  std::free(block);
}

}  // namespace vintage::golden

#include "golden/base/memory_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

namespace vintage {
namespace {

constexpr size_t kPiece = size_t{4} << 20;
constexpr size_t kLargestPage = size_t{64} << 10;

// Calls `copy` with the offset and bytes of each piece of `from`, and then releases the piece.
template <typename Copy>
void moveInPieces(std::span<std::byte> from, const Copy& copy) {
  // Releasing a few pages is not worth a system call.
  if (from.size() <= kLargestPage) return copy(0, from);
  size_t released = 0;
  for (size_t moved = 0; moved < from.size();) {
    const size_t piece = std::min(from.size() - moved, kPiece);
    copy(moved, from.subspan(moved, piece));
    moved += piece;
    releasePages(from.subspan(released, moved - released));
    // A page that spans two pieces is released with the second.
    released = moved - std::min(moved, kLargestPage);
  }
}

}  // namespace

void releasePages(std::span<std::byte> bytes) {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = (begin + bytes.size()) / page * page;
  // If the system refuses, the memory is freed later, with its block.
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void moveOut(std::span<std::byte> from, std::byte* to) {
  moveInPieces(from, [&](size_t offset, std::span<const std::byte> piece) {
    std::memcpy(to + offset, piece.data(), piece.size());
  });
}

void moveOut(std::span<std::byte> from, std::vector<std::byte>& to) {
  // Reserved memory costs nothing until it is written.
  to.reserve(to.size() + from.size());
  moveInPieces(from, [&](size_t, std::span<const std::byte> piece) {
    to.insert(to.end(), piece.begin(), piece.end());
  });
}

}  // namespace vintage

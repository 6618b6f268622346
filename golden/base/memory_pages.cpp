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

// Calls `copy` with each piece of `from` and where it begins, and releases the piece.
template <typename Copy>
void moveInPieces(std::span<std::byte> from, const Copy& copy) {
  // A few pages are not worth a call of the system.
  if (from.size() <= kLargestPage) return copy(0, from);
  size_t released = 0;
  for (size_t moved = 0; moved < from.size();) {
    const size_t piece = std::min(from.size() - moved, kPiece);
    copy(moved, from.subspan(moved, piece));
    moved += piece;
    releasePages(from.subspan(released, moved - released));
    // A page that two pieces share goes with the second.
    released = moved - std::min(moved, kLargestPage);
  }
}

}  // namespace

void releasePages(std::span<std::byte> bytes) {
  static const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t first = (begin + page - 1) / page * page;
  const uintptr_t last = (begin + bytes.size()) / page * page;
  // Where the system refuses, the memory is freed later, with its block.
  if (first < last) (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void moveOut(std::span<std::byte> from, std::byte* to) {
  moveInPieces(from, [&](size_t offset, std::span<const std::byte> piece) {
    std::memcpy(to + offset, piece.data(), piece.size());
  });
}

void moveOut(std::span<std::byte> from, std::vector<std::byte>& to) {
  // Reserved memory that nobody writes to costs nothing.
  to.reserve(to.size() + from.size());
  moveInPieces(from, [&](size_t, std::span<const std::byte> piece) {
    to.insert(to.end(), piece.begin(), piece.end());
  });
}

}  // namespace vintage

// Returns pages of memory to the system before their block is freed.
//
// Moving large data (constants out of an artifact, a module out of its wrapper) would hold it in
// memory twice until the last byte has moved. Moving it piece by piece, and releasing the pages
// behind each piece, holds it once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vintage {

// Content of at most this size is held whole and copied where that is simpler. Larger content is
// processed in pieces, so that no process needs several times its size.
inline constexpr size_t kHeldWhole = size_t{16} << 20;

// Releases the pages that lie wholly within `bytes`. Their content is lost: they read as zero, and
// may be written again. Only for memory of this process alone, such as a vector's.
void releasePages(std::span<std::byte> bytes);

// Copies `from` to `to` and releases the copied pages, so that together they never take more than
// `from` did, except for a few pages. The two must not overlap.
void moveOut(std::span<std::byte> from, std::byte* to);
// The same, to the end of `to`; allocates exactly the capacity that this needs.
void moveOut(std::span<std::byte> from, std::vector<std::byte>& to);

}  // namespace vintage

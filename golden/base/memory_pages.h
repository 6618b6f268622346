// Pages of memory that go back to the system before the block that they belong to is freed.
//
// Large data that has to move (constants out of an artifact, a module out of what wraps it)
// would be in memory twice until all of it has moved. Moved piece by piece, with the pages
// behind each piece given back, it is there once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vintage {

// Content up to here is held whole and copied where that is simpler; what is larger goes in
// pieces, so that no process needs several times its size.
inline constexpr size_t kHeldWhole = size_t{16} << 20;

// Gives the whole pages within `bytes` back. What they held is lost: they read as zero, and
// may be written again. For memory of this process alone, such as a vector's.
void releasePages(std::span<std::byte> bytes);

// Copies `from` to `to` and releases what was copied, so that both never take more than
// `from` did, but for some pages. They do not overlap.
void moveOut(std::span<std::byte> from, std::byte* to);
// The same to the end of `to`, which then has room for no more.
void moveOut(std::span<std::byte> from, std::vector<std::byte>& to);

}  // namespace vintage

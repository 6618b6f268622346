// A part of an archive's contents, so that many days share the reading of all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vintage::archive {

// One of `parts` equal parts, by hash: the parts 1 to `parts` are all of it.
struct ContentPart {
  uint32_t part = 1, parts = 1;

  // By the first four bytes of the hash.
  bool holds(std::span<const std::byte> hash) const {
    uint32_t first = 0;
    for (size_t index = 0; index < 4 && index < hash.size(); ++index)
      first = first * 256 + std::to_integer<uint32_t>(hash[index]);
    return parts <= 1 || first % parts == part - 1;
  }
};

}  // namespace vintage::archive

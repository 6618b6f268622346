// How a blob's bytes lie on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/result.h"

namespace vintage {

// The numbers stand in the index.
enum class BlobCodec {
  kRaw = 0,
  kZstd = 1,
  kZstdDictionary = 2,  // The frame names the dictionary that it needs.
  kRemoved = 3,         // Let go by retention; the row stays for its outcomes.
};

struct EncodedBlob {
  BlobCodec codec = BlobCodec::kRaw;
  std::vector<std::byte> bytes;
};

// Compressed where that makes it smaller.
Result<EncodedBlob> encodeBlob(std::span<const std::byte> content);

// `size` is what the index says. A stream that would yield more or fewer bytes
// is kBadInput; memory stays within what the stream really yields.
Result<std::vector<std::byte>> decodeBlob(int64_t codec, std::span<const std::byte> stored,
                                          uint64_t size);

// One zstd frame, by the size that it states itself; for content whose row is
// lost or damaged. kBadInput where it is none, or states more than `limit`.
Result<std::vector<std::byte>> decodeFrame(std::span<const std::byte> stored, uint64_t limit);

}  // namespace vintage

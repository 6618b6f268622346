// How a blob's bytes lie on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/result.h"

namespace vintage {

class Dictionary;  // archive/dictionary.h

// Level 3 is zstd's own choice: higher levels cost more than a sync for a few
// percent at these sizes (bench/archive_bench.cpp). Where blobs are packed again
// nobody waits.
inline constexpr int kLevel = 3;
inline constexpr int kCloseLevel = 9;

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

// Compressed where that makes it smaller; with the dictionary where there is one
// and the content is small.
Result<EncodedBlob> encodeBlob(std::span<const std::byte> content,
                               const Dictionary* dictionary = nullptr, int level = kLevel);

// `size` is what the index says. A stream that would yield more or fewer bytes
// is kBadInput; memory stays within what the stream really yields. What was
// packed with a dictionary needs it.
Result<std::vector<std::byte>> decodeBlob(int64_t codec, std::span<const std::byte> stored,
                                          uint64_t size, const Dictionary* dictionary = nullptr);

// Of the frame; 0 where it names none.
uint32_t dictionaryOf(std::span<const std::byte> stored);

// One zstd frame, by the size that it states itself; for content whose row is
// lost or damaged. kBadInput where it is none, or states more than `limit`.
Result<std::vector<std::byte>> decodeFrame(std::span<const std::byte> stored, uint64_t limit,
                                           const Dictionary* dictionary = nullptr);

}  // namespace vintage

// How a blob's bytes lie on the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <zstd.h>

#include "golden/base/result.h"

namespace vintage::archive {

class Dictionary;  // archive/store/pack.h

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CDict* digest) const { ZSTD_freeCDict(digest); }
  void operator()(ZSTD_DDict* digest) const { ZSTD_freeDDict(digest); }
};
template <typename T>
using ZstdOwned = std::unique_ptr<T, FreeZstd>;

// A put packs small content at the quickest level: zstd's default, 3, takes 1.2 to 1.5
// times as long for 2.5% less (400 small files of the corpus). Repacking saves that too,
// and more, while no put waits.
inline constexpr int kQuickLevel = 1;
inline constexpr int kLevel = 3;
inline constexpr int kPackLevel = 22;

// The numbers stand in the index.
enum class BlobCodec {
  kRaw = 0,
  kZstd = 1,
  kZstdDictionary = 2,  // The frame names the dictionary that it needs.
  kRemoved = 3,         // Removed by retention; the row stays for its outcomes.
  kPacked = 4,          // In a pack, with others (archive/store/pack.h).
};

struct EncodedBlob {
  BlobCodec codec = BlobCodec::kRaw;
  std::vector<std::byte> bytes;
};

// Compressed where that makes it smaller; with the dictionary where there is one
// and the content is small.
Result<EncodedBlob> encodeBlob(std::span<const std::byte> content,
                               const Dictionary* dictionary = nullptr);

// One frame of a pack, as close as zstd does it: a frame also where that is not smaller.
Result<std::vector<std::byte>> encodeFrame(std::span<const std::byte> content,
                                           const Dictionary* dictionary);

// `size` is the index's. A stream that would yield more or fewer bytes is kBadInput; memory stays
// within the size of its real output. Content that was packed with a dictionary needs it.
Result<std::vector<std::byte>> decodeBlob(int64_t codec, std::span<const std::byte> stored,
                                          uint64_t size, const Dictionary* dictionary = nullptr);

// A frame among several that stand one behind the other: where it is stored, and which bytes it
// unpacks to.
struct StoredFrame {
  std::span<const std::byte> stored;
  uint64_t start = 0, bytes = 0;
};
// The one that `offset` of what they unpack to lies in. kBadInput where none does, or one before
// it is damaged.
Result<StoredFrame> frameAt(std::span<const std::byte> stored, uint64_t offset);

// One that unpacks to `bytes`, which is no more than its reader trusts it with. The memory of
// `content` is used again.
Status decodeFrameInto(std::span<const std::byte> stored, uint64_t bytes,
                       const Dictionary* dictionary, std::vector<std::byte>& content);

// Unpacks in pieces what is too large to hold, of codec kRaw or kZstd.
class BlobDecoder {
 public:
  // Reads the stored bytes piece by piece: fills the span's start, 0 at the end.
  using Stored = std::function<Result<size_t>(std::span<std::byte>)>;
  // As decodeBlob().
  static Result<BlobDecoder> make(int64_t codec, Stored stored, uint64_t size);

  // Fills `piece` as far as there is content; 0 at the end, where everything was checked that
  // decodeBlob() checks.
  Result<size_t> read(std::span<std::byte> piece);

 private:
  BlobDecoder(bool raw, Stored stored, uint64_t size)
      : raw_(raw), stored_(std::move(stored)), size_(size) {}
  Result<size_t> readRaw(std::span<std::byte> out);
  Result<size_t> readFrame(std::span<std::byte> out);
  Status checkEnd();

  bool raw_;
  Stored stored_;
  uint64_t size_, given_ = 0, taken_ = 0;  // Bytes: all, given out, read.
  bool ended_ = false;                     // The frame, or the raw content.
  ZstdOwned<ZSTD_DCtx> context_;
  std::vector<std::byte> piece_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
};

// Packs in pieces, as encodeBlob() packs content of this size, save that what zstd cannot make
// smaller is a frame too: whether it can shows at the end only.
class BlobEncoder {
 public:
  using Sink = std::function<Status(std::span<const std::byte>)>;
  static Result<BlobEncoder> make(uint64_t size, Sink sink);

  Status write(std::span<const std::byte> piece);
  // After `size` bytes. Returns how many were stored.
  Result<uint64_t> finish();

 private:
  BlobEncoder(uint64_t size, Sink sink) : sink_(std::move(sink)), size_(size) {}
  Status compress(std::span<const std::byte> piece, bool last);

  Sink sink_;
  uint64_t size_, written_ = 0, kept_ = 0;
  ZstdOwned<ZSTD_CCtx> context_{ZSTD_createCCtx()};
  std::vector<std::byte> piece_;
};

// The frame's dictionary; 0 where it names none.
uint32_t dictionaryOf(std::span<const std::byte> stored);

// One zstd frame, by the size that it states itself; for content whose row is
// lost or damaged. kBadInput where it is none, or states more than `limit`.
Result<std::vector<std::byte>> decodeFrame(std::span<const std::byte> stored, uint64_t limit,
                                           const Dictionary* dictionary = nullptr);

}  // namespace vintage::archive

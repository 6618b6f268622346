// Small contents share their common bytes: dictionaries for zstd, and packs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "archive/store/blob_codec.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// A dictionary is itself a blob. A frame that was made with one carries its id,
// which is zstd's own, and cannot be read without it: so its content is kept
// twice, in the index and as a file, and is never collected. New blobs are
// packed with the newest one; the older ones stay for what was packed with them.

// Contents up to here are packed with a dictionary. Larger ones have enough in common with
// themselves, so no file needs a dictionary to be read.
inline constexpr size_t kLargestWithDictionary = 64 * 1024;
// Larger ones are better for packs, and compress to a quarter themselves. A nightly catalogue's
// packs have 3.4 MB with 96 KiB, 3.0 MB with this.
inline constexpr size_t kDictionaryBytes = 256 * 1024;

// Digested for both directions. Any thread may use it.
class Dictionary {
 public:
  // kBadInput where the bytes are no dictionary with an id.
  static Result<std::shared_ptr<const Dictionary>> make(std::span<const std::byte> bytes);
  // The common bytes of the samples. kUnsupported where zstd finds nothing, and where there are
  // fewer than kFewestDictionarySamples.
  static Result<std::vector<std::byte>> train(std::span<const std::vector<std::byte>> samples,
                                              size_t most = kDictionaryBytes);
  Dictionary(const Dictionary&) = delete;

  uint32_t id() const { return id_; }
  const ZSTD_DDict* forReading() const { return reader_.get(); }
  // Made when first asked for: a reader needs none.
  const ZSTD_CDict* forWriting() const { return made(quick_, kQuickLevel); }
  const ZSTD_CDict* forPacks() const { return made(packs_, kPackLevel); }

 private:
  struct Writer {
    std::once_flag asked;
    ZstdOwned<ZSTD_CDict> digest;
  };
  Dictionary(uint32_t id, std::span<const std::byte> bytes);
  const ZSTD_CDict* made(Writer& writer, int level) const;

  uint32_t id_;
  ZstdOwned<ZSTD_DDict> reader_;
  std::vector<std::byte> bytes_;
  mutable Writer quick_, packs_;
};

// The dictionaries of one archive. One thread at a time, as the Database.
class DictionaryTable {
 public:
  using Read = std::function<Result<std::vector<std::byte>>(const ContentId&)>;
  // `read` returns a dictionary's content, verified.
  DictionaryTable(Database& database, Read read) : database_(database), read_(std::move(read)) {}

  // Null where there is none.
  Result<const Dictionary*> newest();
  // kBadInput where it is not kept, or damaged.
  Result<const Dictionary*> find(uint32_t id);

 private:
  Database& database_;
  Read read_;
  std::map<uint32_t, std::shared_ptr<const Dictionary>> loaded_;
};

// Packs: many small contents that are alike, as zstd frames one behind the other in the index. One
// by one they hardly compress, even with a dictionary; a reader unpacks one frame, of some tens of
// kilobytes. Each content lies in one frame.
//
// A pack is written once (archive/store/collect.h) and never changed. Its contents' rows name it
// and where they begin in it; it goes when no row names it any more.

// A frame is closed when it has so many bytes. Larger ones are smaller together, and slower to
// read one content of: bench/archive_bench.cpp measures both.
inline constexpr size_t kFrameBytes = size_t{72} << 10;
// None has more: a content that would make it larger begins the next.
inline constexpr size_t kLargestFrame = size_t{128} << 10;
static_assert(kLargestWithDictionary <= kLargestFrame);
// A pack is closed when it has so many. One for each frame would leave a fifth of SQLite's pages
// empty.
inline constexpr size_t kPackBytes = size_t{1} << 20;

// The column `place` of a content's row: its pack's number, and where it begins in it.
inline constexpr int kStartBits = 21;
static_assert(kPackBytes + kLargestWithDictionary <= size_t{1} << kStartBits);
inline int64_t placeInPack(int64_t pack, size_t start) {
  return (pack << kStartBits) + static_cast<int64_t>(start);
}
inline int64_t packOf(int64_t place) { return place >> kStartBits; }
inline int64_t startOf(int64_t place) { return place & ((int64_t{1} << kStartBits) - 1); }
// packOf(place) in SQL.
inline constexpr std::string_view kPackOfPlace = "place >> 21";
static_assert(kStartBits == 21);

// The packs of one archive. One thread at a time, as the Database.
class PackTable {
 public:
  PackTable(Database& database, DictionaryTable& dictionaries)
      : database_(database), dictionaries_(dictionaries) {}

  // So many bytes from `start` on; keeps the last frames unpacked. kBadInput where the pack is
  // missing or damaged, or has no such content.
  Result<std::vector<std::byte>> read(int64_t id, uint64_t start, uint64_t bytes);

 private:
  struct Unpacked {
    int64_t pack = 0;
    uint64_t start = 0;
    std::vector<std::byte> bytes;
    bool covers(int64_t id, uint64_t from) const {
      return pack == id && from >= start && from - start < bytes.size();
    }
  };
  Status unpack(int64_t id, uint64_t start, Unpacked& unpacked);

  Database& database_;
  DictionaryTable& dictionaries_;
  std::deque<Unpacked> last_;  // The newest first.
  size_t lastBytes_ = 0;       // Of all of them.
};

// Removes the packs that no row names, inside the caller's transaction.
Status removeEmptyPacks(Database& database);

}  // namespace vintage::archive

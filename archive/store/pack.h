// Packs: many small contents that are alike, as zstd frames one behind the other in the index. One
// by one they hardly compress, even with a dictionary; a reader unpacks one frame, of some tens of
// kilobytes. Each content lies in one frame.
//
// A pack is written once (archive/store/collect.h) and never changed. Its contents' rows name it
// and where they begin in it; it goes when no row names it any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/dictionary.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

// Packs: many small contents that are alike, as one zstd frame in the index. One by one they
// hardly compress, even with a dictionary; a reader unpacks one pack, of some tens of kilobytes.
//
// A pack is written once (archive/store/repack.h) and never changed. Its contents' rows name it
// and where they begin in it; it goes when no row names it any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/dictionary.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// A pack is closed when it has so many bytes. Larger ones are smaller together, and slower to
// read one content of: bench/archive_bench.cpp measures both.
inline constexpr size_t kPackBytes = size_t{32} << 10;
// With its last content.
inline constexpr size_t kLargestPack = kPackBytes + kLargestWithDictionary;

// The packs of one archive. One thread at a time, as the Database.
class PackTable {
 public:
  PackTable(Database& database, DictionaryTable& dictionaries)
      : database_(database), dictionaries_(dictionaries) {}

  // Unpacked; keeps the last few. kBadInput where it is missing or damaged.
  Result<std::shared_ptr<const std::vector<std::byte>>> read(int64_t id);

 private:
  struct Unpacked {
    int64_t id;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  Database& database_;
  DictionaryTable& dictionaries_;
  std::deque<Unpacked> last_;  // The newest first.
};

// Removes the packs that no row names, inside the caller's transaction.
Status removeEmptyPacks(Database& database);

}  // namespace vintage::archive::store

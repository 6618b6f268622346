// Dictionaries for zstd: what many small blobs have in common, kept once.
//
// A dictionary is itself a blob. A frame that was made with one carries its id,
// which is zstd's own, and cannot be read without it: so its content is kept
// twice, in the index and as a file, and is never collected. New blobs are
// packed with the newest one; the older ones stay for what was packed with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "archive/store/blob_codec.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Contents up to here are packed with a dictionary. What is larger has enough
// in common with itself, and so no file needs a dictionary to be read.
inline constexpr size_t kLargestWithDictionary = 64 * 1024;
// Larger ones are better for packs, and compress to a quarter themselves. A nightly catalogue's
// packs have 3.4 MB with 96 KiB, 3.0 MB with this.
inline constexpr size_t kDictionaryBytes = 256 * 1024;

// Digested for both directions. Any thread may use it.
class Dictionary {
 public:
  // kBadInput where the bytes are no dictionary with an id.
  static Result<std::shared_ptr<const Dictionary>> make(std::span<const std::byte> bytes);
  // What these have in common. kUnsupported where zstd finds nothing, and where
  // there are fewer than kFewestDictionarySamples.
  static Result<std::vector<std::byte>> train(std::span<const std::vector<std::byte>> samples,
                                              size_t most = kDictionaryBytes);
  Dictionary(const Dictionary&) = delete;

  uint32_t id() const { return id_; }
  const ZSTD_DDict* forReading() const { return reader_.get(); }
  const ZSTD_CDict* forWriting(bool close) const;  // See encodeBlob().
  const ZSTD_CDict* forPacks() const;              // Made when it is first asked for.

 private:
  // Made when first asked for: who only reads needs none.
  struct Writer {
    std::once_flag asked;
    ZstdOwned<ZSTD_CDict> digest;
  };
  Dictionary(uint32_t id, std::span<const std::byte> bytes);
  const ZSTD_CDict* made(Writer& writer, int level) const;

  uint32_t id_;
  ZstdOwned<ZSTD_DDict> reader_;
  std::vector<std::byte> bytes_;
  mutable Writer quick_, close_, packs_;
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

}  // namespace vintage::archive

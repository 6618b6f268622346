// Content-addressed blobs: small ones inside the index, large ones as files
// blobs/ab/abcdef….zst beside it.
//
// Keeping content takes three steps, so that many blobs share their syncs and no lock is held while
// files are written:
//   stage()   compresses what is not kept yet; touches nothing
//   settle()  makes the files of all staged blobs durable
//   insert()  writes the row, inside the caller's transaction
// Content beyond kHeldWhole goes through in pieces: settle() packs it into its file, so that no
// packed copy is ever in memory.
// A row therefore never names a file that is not durable. Between settle() and
// insert() a lease protects the files from collection (archive/store/lease.cpp). A crash leaves at
// most a file without a row; a later put of the same content uses it, and collection removes it.
//
// One thread at a time, as the Database below it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/store/blob_codec.h"
#include "archive/store/content_reader.h"
#include "archive/store/database.h"
#include "archive/store/pack.h"
#include "archive/store/records.h"
#include "golden/base/clock.h"
#include "golden/base/file_system.h"
#include "golden/base/memory_pages.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Stored sizes from here on are files. Measured in bench/archive_bench.cpp.
inline constexpr size_t kFileThreshold = 100 * 1024;

// Conditions in SQL, by which a column's row is found through the index blob_by_hash: it holds the
// beginnings of hashes. "the hash is `value`"; "it is one from `first` to `last`".
std::string hashIs(std::string_view column, std::string_view value = "?1");
std::string hashIsFrom(std::string_view column, std::string_view first, std::string_view last);
// The condition that a record, a golden, a dictionary or a list names this row of blob.
std::string isNamed(std::string_view row);
// The first row of this hash in the table blob, whatever its content became.
Result<std::optional<int64_t>> rowOfHash(Database& database, std::span<const std::byte> hash);

struct StagedBlob {
  ContentId id;
  std::span<const std::byte> content = {};  // The caller's; empty where there is a source.
  // Empty where the same content is kept already, whole.
  std::optional<EncodedBlob> encoded = {};
  const ContentSource* source = nullptr;  // The caller's.
  bool inPieces = false;                  // `encoded` has no bytes: settle() writes them.
  uint64_t storedInPieces = 0;            // By settle().

  uint64_t size() const { return source != nullptr ? source->bytes : content.size(); }
  uint64_t storedBytes() const { return inPieces ? storedInPieces : encoded->bytes.size(); }
  bool inFile() const { return encoded && (inPieces || encoded->bytes.size() >= kFileThreshold); }
};

class BlobStore {
 public:
  BlobStore(Database& database, FileSystem& files, Clock& clock, std::string folder)
      : database_(database),
        files_(files),
        clock_(clock),
        folder_(std::move(folder)),
        dictionaries_(database, [this](const ContentId& id) { return readDictionary(id); }),
        packs_(database, dictionaries_) {}
  BlobStore(const BlobStore&) = delete;

  // settle() fails where the bytes do not hash to the source's id.
  Result<StagedBlob> stage(const ContentSource& source);
  // Stages many, in their order; packs new ones on several cores, each once. Outside
  // of a transaction. Content that is kept is read back and compared: damage is staged anew; so
  // is everything where `anew`.
  Result<std::vector<StagedBlob>> stageAll(std::span<const HashedContent> contents,
                                           bool anew = false);
  // `lease` protects what becomes a file, and the temporary files are named by
  // it; empty where the caller holds the transaction that insert() is called in.
  Status settle(std::span<StagedBlob> blobs, std::string_view lease);
  // The blob's row.
  Result<int64_t> insert(StagedBlob& blob);

  struct Row {
    int64_t id = 0, bytes = 0, codec = 0, storedBytes = 0;
    bool inFile = false;
    int64_t place = 0;  // Where the codec is kPacked (archive/store/pack.h).
  };
  // Without looking at its content. kNotFound where no row has it, kUsage where it is no id.
  Result<Row> rowOf(const ContentId& id);

  // Verified against the id. kNotFound where no row has it, kBadInput where it
  // is damaged.
  Result<std::vector<std::byte>> read(const ContentId& id);

  // The same in pieces.
  Result<ContentReader> open(const ContentId& id);

  // Content whose row is damaged or missing: reads the stored bytes, and returns them where they
  // hash to `id`. kNotFound.
  Result<std::vector<std::byte>> readLoose(const ContentId& id);

  DictionaryTable& dictionaries() { return dictionaries_; }
  // Makes the second copy of a dictionary, as a file. Durable when it returns.
  Status writeCopy(const ContentId& id, std::span<const std::byte> content);
  // Verified against the id; kBadInput where the file is damaged.
  Result<std::vector<std::byte>> readCopy(const ContentId& id);
  // As stored; a row of another codec is kBadInput.
  Result<std::vector<std::byte>> decode(int64_t codec, std::span<const std::byte> stored,
                                        uint64_t size);

  Result<FileUse> fileUse(const ContentId& id);
  // A temporary file whose lease is gone or expired; one without a lease after a day.
  Result<bool> isAbandoned(const std::string& name);
  // Removes such files and returns how many. Those that cannot be removed go to `stuck`.
  Result<int64_t> removeAbandoned(std::vector<Error>* stuck = nullptr);

  std::string filePath(const ContentId& id) const;
  // The bytes of its file, not verified. kBadInput where it is missing or the disk does not give it
  // back: that is damage of one content, and no reason to end a work over many.
  Result<std::vector<std::byte>> readFile(const ContentId& id);

 private:
  std::string incomingFolder() const;
  Result<std::optional<Row>> findRow(const ContentId& id);
  Result<std::vector<std::byte>> readPacked(const Row& row);
  Result<std::vector<std::byte>> readRow(const ContentId& id, const Row& row);
  Result<ContentReader> openRow(const ContentId& id, const Row& row);
  Result<bool> isWhole(const ContentId& id);  // Kept, and fits its id.
  Status writeFile(const ContentId& id, std::string_view lease,
                   const std::function<Status(WritableFile&)>& write);
  Status writeInPieces(StagedBlob& blob, WritableFile& file);
  Result<std::vector<std::byte>> readDictionary(const ContentId& id);
  // `stored`, or what its frame unpacks to, where that hashes to `id`.
  Result<std::vector<std::byte>> decodeLoose(const ContentId& id,
                                             std::span<const std::byte> stored);
  Status syncFolders(const std::set<std::string>& folders);
  // Compresses those blobs, by their indices.
  Status pack(std::span<StagedBlob> blobs, const std::vector<size_t>& which);
  Result<int64_t> writeRow(const StagedBlob& blob);
  Status writeContent(int64_t row, const StagedBlob& blob);

  Database& database_;
  FileSystem& files_;
  Clock& clock_;
  std::string folder_;
  DictionaryTable dictionaries_;
  PackTable packs_;
};

}  // namespace vintage::archive

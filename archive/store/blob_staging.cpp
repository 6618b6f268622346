// The two ends of keeping content: what is done before the transaction, and in it.
#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive {
namespace {

// Whether settle() packs it.
bool packInPieces(StagedBlob& blob) {
  if (blob.source == nullptr && blob.content.size() <= kHeldWhole) return false;
  blob.encoded = EncodedBlob{BlobCodec::kZstd, {}};
  blob.inPieces = true;
  return true;
}

}  // namespace

Result<bool> BlobStore::isWhole(const ContentId& id) {
  ASSIGN_OR_RETURN(const auto row, findRow(id));
  if (!row) return false;
  if (row->bytes > static_cast<int64_t>(kHeldWhole)) {
    auto reader = open(id);
    const Status read = reader ? reader->skip(reader->bytes()) : tl::unexpected(reader.error());
    if (!read && read.error().kind != Error::Kind::kBadInput) return tl::unexpected(read.error());
    return read.has_value();
  }
  const auto kept = readRow(id, *row);
  if (!kept && kept.error().kind != Error::Kind::kBadInput) return tl::unexpected(kept.error());
  return kept.has_value();
}

Result<StagedBlob> BlobStore::stage(const ContentSource& source) {
  ASSIGN_OR_RETURN(const auto whole, isWhole(source.id));
  StagedBlob blob{.id = source.id, .source = &source};
  if (!whole) RETURN_IF_ERROR(pack(std::span(&blob, 1), {0}));
  return blob;
}

Result<std::vector<StagedBlob>> BlobStore::stageAll(std::span<const HashedContent> contents,
                                                    bool anew) {
  std::vector<StagedBlob> staged;
  std::vector<size_t> fresh;
  staged.reserve(contents.size());
  {
    ASSIGN_OR_RETURN(const auto reading, Transaction::beginReading(database_));
    std::unordered_set<std::string_view> seen;
    for (const HashedContent& content : contents) {
      staged.push_back({.id = content.id(), .content = content.bytes()});
      // Again: as if it were kept, which it is when its turn to be inserted comes.
      if (!seen.insert(content.id()).second) continue;
      ASSIGN_OR_RETURN(const auto whole, anew ? Result<bool>(false) : isWhole(content.id()));
      if (!whole) fresh.push_back(staged.size() - 1);
    }
  }
  RETURN_IF_ERROR(pack(staged, fresh));
  return staged;
}

Status BlobStore::pack(std::span<StagedBlob> blobs, const std::vector<size_t>& which) {
  constexpr size_t kWorthAThread = 64 * 1024;  // Bytes that take longer than to start a thread.
  if (which.empty()) return {};
  size_t all = 0;
  for (const size_t index : which) {
    all += blobs[index].size();
    if (const uint64_t bytes = blobs[index].size(); bytes > kLargestBlob)
      return badInput("{} bytes; an archive keeps blobs of up to {}", bytes, kLargestBlob);
  }
  const auto newest = dictionaries_.newest();
  // One that is damaged is fsck's news; nothing that is put needs it.
  const Dictionary* dictionary = newest ? *newest : nullptr;
  std::vector<Status> packed(which.size());
  inParallel(which.size(), callsOf(kWorthAThread, all, which.size()), [&](size_t next) {
    StagedBlob& blob = blobs[which[next]];
    if (packInPieces(blob)) return;
    auto encoded = encodeBlob(blob.content, dictionary);
    if (encoded)
      blob.encoded = std::move(*encoded);
    else
      packed[next] = tl::unexpected(encoded.error());
  });
  const auto failed = std::ranges::find_if(packed, [](const Status& status) { return !status; });
  return failed == packed.end() ? Status() : *failed;
}

Result<int64_t> BlobStore::insert(StagedBlob& blob) {
  if (!blob.encoded) {
    ASSIGN_OR_RETURN(const auto row, findRow(blob.id));
    if (row) return row->id;
    // It was removed since it was staged.
    if (!packInPieces(blob)) {
      // Where a dictionary is damaged this still is whole.
      ASSIGN_OR_RETURN(blob.encoded, encodeBlob(blob.content));
    }
    RETURN_IF_ERROR(settle(std::span(&blob, 1), {}));
  }
  ASSIGN_OR_RETURN(const auto id, writeRow(blob));
  RETURN_IF_ERROR(writeContent(id, blob));
  return id;
}

Result<int64_t> BlobStore::writeRow(const StagedBlob& blob) {
  const auto run = [&](std::string_view sql, const auto&... more) {
    return runWith(database_, sql, hashBytes(blob.id), blob.size(), blob.encoded->codec,
                   blob.storedBytes(), blob.inFile(), more...);
  };
  // The index on hashes holds their beginnings, and is not unique: the caller has the lock.
  ASSIGN_OR_RETURN(const auto there, rowOfHash(database_, hashBytes(blob.id)));
  if (there) {
    RETURN_IF_ERROR(run(
        "UPDATE blob SET hash = ?, bytes = ?, codec = ?, stored_bytes = ?, in_file = ?, place = "
        "NULL WHERE id = ?",
        *there));
    return *there;
  }
  RETURN_IF_ERROR(
      run("INSERT INTO blob (hash, bytes, codec, stored_bytes, in_file) VALUES (?, ?, ?, ?, ?)"));
  return database_.lastRow();
}

Status BlobStore::writeContent(int64_t row, const StagedBlob& blob) {
  if (blob.inFile()) return runWith(database_, "DELETE FROM blob_content WHERE blob = ?", row);
  return runWith(database_, "INSERT OR REPLACE INTO blob_content (blob, content) VALUES (?, ?)",
                 row, blob.encoded->bytes);
}

}  // namespace vintage::archive

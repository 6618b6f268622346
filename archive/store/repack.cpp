#include "archive/store/repack.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_codec.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::store {
namespace {

constexpr int64_t kPackedRows = 200;  // Contents of one transaction.
// What zstd trains on: more is slower and finds the same.
constexpr int64_t kSamples = 8000;
constexpr size_t kSampleBytes = size_t{16} << 20;

struct Packed {
  int64_t row = 0, codec = 0, storedBytes = 0;
  std::vector<std::byte> hash;
  EncodedBlob encoded;
};

class Repacking {
 public:
  Repacking(Archive::Implementation& archive, const RepackOptions& options)
      : archive_(archive), database_(*archive.database), options_(options) {}

  Result<RepackReport> run() {
    RETURN_IF_ERROR(chooseDictionary());
    if (report_.tooFew) return report_;
    ASSIGN_OR_RETURN(const auto last, database_.integer("SELECT coalesce(max(id), 0) FROM blob"));
    for (int64_t first = 1; first <= last; first += kPackedRows) {
      RETURN_IF_ERROR(packPage(first));
      if (options_.progress)
        options_.progress(static_cast<size_t>(std::min(first + kPackedRows, last)),
                          static_cast<size_t>(last));
    }
    return report_;
  }

 private:
  Status chooseDictionary() {
    auto newest = archive_.blobs.dictionaries().newest();
    if (!newest) return tl::unexpected(newest.error());
    if (*newest == nullptr || options_.newDictionary) {
      RETURN_IF_ERROR(train());
      if (report_.tooFew) return {};
      newest = archive_.blobs.dictionaries().newest();
      if (!newest) return tl::unexpected(newest.error());
    }
    if (*newest == nullptr)
      return failure(Error::Kind::kIo, "the dictionary that was just kept is not there");
    dictionary_ = *newest;
    report_.dictionary = dictionary_->id();
    return {};
  }

  // Spread evenly over the archive.
  Result<std::vector<std::vector<std::byte>>> samples() {
    ASSIGN_OR_RETURN(const auto count,
                     database_.integer(fmt::format(
                         "SELECT count(*) FROM blob WHERE in_file = 0 AND bytes BETWEEN 1 AND {}",
                         kLargestWithDictionary)));
    const int64_t step = std::max<int64_t>(1, count / kSamples);
    std::vector<ContentId> ids;
    {
      ASSIGN_OR_RETURN(
          auto query,
          database_.query(
              "SELECT hash FROM (SELECT hash, row_number() OVER (ORDER BY id) AS number FROM blob "
              "WHERE "
              "in_file = 0 AND bytes BETWEEN 1 AND ?) WHERE number % ? = 0"));
      query.bind(static_cast<int64_t>(kLargestWithDictionary)).bind(step);
      while (true) {
        ASSIGN_OR_RETURN(const auto row, query.step());
        if (!row) break;
        ids.push_back(hashText(query.blob(0)));
      }
    }
    std::vector<std::vector<std::byte>> samples;
    size_t bytes = 0;
    for (const ContentId& id : ids) {
      auto content = archive_.blobs.read(id);
      if (!content) continue;  // Damaged, or collected meanwhile.
      bytes += content->size();
      samples.push_back(std::move(*content));
      if (bytes > kSampleBytes) break;
    }
    return samples;
  }

  Status train() {
    ASSIGN_OR_RETURN(const auto found, samples());
    if (found.size() < kFewestDictionarySamples) {
      report_.tooFew = true;
      report_.looked = static_cast<int64_t>(found.size());
      return {};
    }
    ASSIGN_OR_RETURN(const auto bytes, Dictionary::train(found));
    ASSIGN_OR_RETURN(const auto made, Dictionary::make(bytes));
    StagedBlob staged{contentHash(bytes), bytes, EncodedBlob{BlobCodec::kRaw, bytes}};
    report_.trained = true;
    // The copy first, under the same lock: collection sees both or neither.
    return archive_.inTransaction([&]() -> Status {
      RETURN_IF_ERROR(archive_.blobs.writeCopy(staged.id, bytes));
      ASSIGN_OR_RETURN(const auto row, archive_.blobs.insert(staged));
      // The same samples give the same dictionary again.
      ASSIGN_OR_RETURN(auto query, database_.query("INSERT INTO dictionary (id, blob, made) VALUES "
                                                   "(?, ?, ?) ON CONFLICT (blob) DO UPDATE "
                                                   "SET "
                                                   "made = excluded.made"));
      return query.bind(static_cast<int64_t>(made->id())).bind(row).bind(archive_.seconds()).run();
    });
  }

  Status packPage(int64_t first) {
    std::vector<Packed> page;
    {
      ASSIGN_OR_RETURN(
          auto query,
          database_.query(
              "SELECT b.id, b.codec, b.stored_bytes, b.hash, c.content, b.bytes FROM blob AS b "
              "JOIN "
              "blob_content AS c ON c.blob = b.id WHERE b.id BETWEEN ? AND ? AND b.in_file = 0 AND "
              "b.bytes BETWEEN 1 AND ? AND NOT EXISTS (SELECT 1 FROM dictionary AS d WHERE d.blob "
              "= "
              "b.id)"));
      query.bind(first).bind(first + kPackedRows - 1).bind(static_cast<int64_t>(kLargestWithDictionary));
      while (true) {
        ASSIGN_OR_RETURN(const auto row, query.step());
        if (!row) break;
        RETURN_IF_ERROR(pack(query, page));
      }
    }
    if (page.empty()) return {};
    return archive_.inTransaction([&]() -> Status {
      for (const Packed& packed : page) {
        RETURN_IF_ERROR(replace(packed));
      }
      return {};
    });
  }

  Status pack(const Query& query, std::vector<Packed>& page) {
    Packed packed{query.integer(0), query.integer(1), query.integer(2), {}, {}};
    const auto hash = query.blob(3);
    packed.hash.assign(hash.begin(), hash.end());
    const auto stored = query.blob(4);
    ++report_.looked;
    report_.bytesBefore += packed.storedBytes;
    report_.bytesAfter += packed.storedBytes;
    if (packed.codec == static_cast<int64_t>(BlobCodec::kZstdDictionary) &&
        dictionaryOf(stored) == dictionary_->id())
      return {};
    const auto content =
        archive_.blobs.decode(packed.codec, stored, static_cast<uint64_t>(query.integer(5)));
    if (!content && content.error().kind == Error::Kind::kResource)
      return tl::unexpected(content.error());
    if (!content || contentHash(*content) != hashText(packed.hash)) {
      ++report_.damaged;
      return {};
    }
    ASSIGN_OR_RETURN(auto encoded, encodeBlob(*content, dictionary_, true));
    if (static_cast<int64_t>(encoded.bytes.size()) >= packed.storedBytes) return {};
    const auto again = decodeBlob(static_cast<int64_t>(encoded.codec), encoded.bytes,
                                  content->size(), dictionary_);
    if (!again || *again != *content)
      return failure(Error::Kind::kIo,
                     "zstd does not give back what it packed; memory may be faulty");
    packed.encoded = std::move(encoded);
    page.push_back(std::move(packed));
    return {};
  }

  // Where the row is still what was read.
  Status replace(const Packed& packed) {
    const auto newBytes = static_cast<int64_t>(packed.encoded.bytes.size());
    RETURN_IF_ERROR(runWith(database_, R"(
        UPDATE blob SET codec = ?, stored_bytes = ?
        WHERE id = ? AND hash = ? AND codec = ? AND stored_bytes = ? AND in_file = 0)",
                            packed.encoded.codec, newBytes, packed.row, packed.hash, packed.codec,
                            packed.storedBytes));
    if (database_.changes() == 0) return {};
    ++report_.packed;
    report_.bytesAfter += newBytes - packed.storedBytes;
    return runWith(database_, "UPDATE blob_content SET content = ? WHERE blob = ?",
                   packed.encoded.bytes, packed.row);
  }

  Archive::Implementation& archive_;
  Database& database_;
  const RepackOptions& options_;
  const Dictionary* dictionary_ = nullptr;
  RepackReport report_;
};

}  // namespace

Result<RepackReport> repackSmallContents(Archive& archive, const RepackOptions& options) {
  RETURN_IF_ERROR(archive.implementation().checkWritable());
  return Repacking(archive.implementation(), options).run();
}

Result<int64_t> shrinkIndex(Archive& archive, int64_t looseBytes) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.checkWritable());
  const auto pages = self.database->integer("PRAGMA page_count");
  const auto free = self.database->integer("PRAGMA freelist_count");
  const auto size = self.database->integer("PRAGMA page_size");
  for (const auto* value : {&pages, &free, &size}) {
    if (!*value) return tl::unexpected(value->error());
  }
  if ((*free * *size + looseBytes) * 4 <= *pages * *size) return 0;
  RETURN_IF_ERROR(self.database->execute("VACUUM"));
  // The file itself shrinks when the log is written back.
  RETURN_IF_ERROR(self.database->writeLogBack());
  ASSIGN_OR_RETURN(const auto now, self.database->integer("PRAGMA page_count"));
  return (*pages - now) * *size;
}

}  // namespace vintage::archive::store

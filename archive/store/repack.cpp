// Packing small contents, with a dictionary of what they have in common.
#include <algorithm>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_codec.h"
#include "archive/store/collect.h"
#include "archive/store/pack.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive {
namespace {

constexpr int64_t kPackedRows = 200;  // Contents that are read at a time.
constexpr size_t kTogether = 200;     // Contents of one transaction.
// Samples for zstd's training: more is slower and finds the same.
constexpr int64_t kSamples = 8000;
constexpr size_t kSampleBytes = size_t{16} << 20;

// Below kFileThreshold also where zstd finds nothing to compress in it.
constexpr size_t kSmallDictionaryBytes = size_t{96} << 10;
static_assert(kSmallDictionaryBytes + 1024 < kFileThreshold);

// Packs that are made together, and become durable together.
constexpr size_t kPacksTogether = 8;

// Arrays, as goldens have, have little in common.
constexpr std::string_view kSampled =
    "in_file = 0 AND codec <> 3 AND NOT EXISTS (SELECT 1 FROM artifact WHERE golden = blob.id)";

// A content that goes into a pack, and what its row says of it now.
struct Member {
  int64_t row = 0, codec = 0, storedBytes = 0;
  size_t start = 0, bytes = 0;
  std::vector<std::byte> hash;
};
struct NewPack {
  std::vector<Member> members;
  std::vector<std::byte> content;
  size_t frameBegin = 0;          // Of the frame that is not closed yet.
  std::vector<size_t> frameEnds;  // Of those that are.
  std::vector<std::byte> encoded;
  Status made;
  void closeFrame() {
    if (frameBegin == content.size()) return;
    frameBegin = content.size();
    frameEnds.push_back(frameBegin);
  }
};

// Small contents that lie alone, in an order in which alike ones are neighbours: artifacts
// before goldens, by kind, then by name.
constexpr std::string_view kOrdered =
    "WITH first (blob, golden, artifact) AS (SELECT b.id, r.id IS NULL, coalesce(r.id, g.id) FROM "
    "blob AS b LEFT JOIN artifact AS r ON r.id = (SELECT min(id) FROM artifact WHERE blob = b.id) "
    "LEFT JOIN artifact AS g ON g.id = (SELECT min(id) FROM artifact WHERE golden = b.id) WHERE "
    "b.in_file = 0 AND b.codec IN (0, 1, 2) AND b.bytes BETWEEN 1 AND ? AND NOT EXISTS (SELECT 1 "
    "FROM dictionary AS d WHERE d.blob = b.id)) SELECT row_number() OVER (ORDER BY c.golden, "
    "a.primitive, a.variant, a.dtypes, a.name, c.blob), c.blob FROM first AS c LEFT JOIN "
    "artifact_record AS a ON a.id = c.artifact";

class Repacking {
 public:
  Repacking(Archive::Implementation& archive, const RepackOptions& options)
      : archive_(archive), database_(*archive.database), options_(options) {}

  Result<RepackReport> run() {
    RETURN_IF_ERROR(chooseDictionary());
    if (report_.tooFew) return report_;
    RETURN_IF_ERROR(loosenPacks());
    RETURN_IF_ERROR(packAll());
    return report_;
  }

 private:
  Status chooseDictionary() {
    ASSIGN_OR_RETURN(dictionary_, archive_.blobs.dictionaries().newest());
    if (dictionary_ == nullptr || options_.newDictionary) {
      RETURN_IF_ERROR(train());
      if (report_.tooFew) return {};
      ASSIGN_OR_RETURN(dictionary_, archive_.blobs.dictionaries().newest());
    }
    if (dictionary_ == nullptr) return ioError("the dictionary that was just kept is not there");
    report_.dictionary = dictionary_->id();
    return {};
  }

  // Spread evenly over the archive.
  Result<std::vector<std::vector<std::byte>>> samples() {
    ASSIGN_OR_RETURN(const auto count, database_.integer(fmt::format(
                                           "SELECT count(*) FROM blob WHERE {} AND bytes BETWEEN 1 "
                                           "AND {}",
                                           kSampled, kLargestWithDictionary)));
    const int64_t step = std::max<int64_t>(1, count / kSamples);
    ASSIGN_OR_RETURN(
        const auto ids,
        selectRows<ContentId>(
            database_,
            fmt::format("SELECT hash FROM (SELECT hash, row_number() OVER (ORDER BY id) AS number "
                        "FROM blob WHERE {} AND bytes BETWEEN 1 AND ?) WHERE number % ? = 0",
                        kSampled),
            [](const Query& row) { return hashText(row.blob(0)); }, kLargestWithDictionary, step));
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
    ASSIGN_OR_RETURN(auto bytes, Dictionary::train(found));
    ASSIGN_OR_RETURN(auto frame, encodeFrame(bytes, nullptr));
    // It lies in the index, and its copy is a file.
    if (frame.size() >= kFileThreshold) {
      ASSIGN_OR_RETURN(bytes, Dictionary::train(found, kSmallDictionaryBytes));
      ASSIGN_OR_RETURN(frame, encodeFrame(bytes, nullptr));
    }
    ASSIGN_OR_RETURN(const auto made, Dictionary::make(bytes));
    StagedBlob staged{contentHash(bytes), bytes, EncodedBlob{BlobCodec::kZstd, std::move(frame)}};
    report_.trained = true;
    // The copy first, under the same lock: collection sees both or neither.
    return archive_.inTransaction([&]() -> Status {
      RETURN_IF_ERROR(archive_.blobs.writeCopy(staged.id, bytes));
      ASSIGN_OR_RETURN(const auto row, archive_.blobs.insert(staged));
      // The same samples give the same dictionary again.
      return runWith(database_,
                     "INSERT INTO dictionary (id, blob, made) VALUES (?, ?, ?) ON CONFLICT (blob) "
                     "DO UPDATE SET made = excluded.made",
                     made->id(), row, archive_.seconds());
    });
  }

  // Packs that lost half of their contents, that are small, or that another dictionary made
  // where there is a new one: their contents lie alone again.
  Status loosenPacks() {
    std::vector<std::string> loose;
    const auto look = [&](const Query& row) {
      const int64_t bytes = std::max(row.integer(1), static_cast<int64_t>(kPackBytes));
      const bool isOld = report_.trained && dictionaryOf(row.blob(3)) != dictionary_->id();
      if (isOld || row.integer(2) * 2 < bytes) loose.push_back(row.text(0));
    };
    RETURN_IF_ERROR(visitRows(
        database_,
        fmt::format(
            "SELECT p.id, p.bytes, coalesce(l.live, 0), substr(p.content, 1, 32) FROM pack AS p "
            "LEFT JOIN (SELECT {} AS pack, sum(bytes) AS live FROM blob WHERE place IS NOT NULL "
            "GROUP BY 1) AS l ON l.pack = p.id",
            kPackOfPlace),
        look));
    // One small content gains nothing from a pack of its own.
    if (loose.empty() || (loose.size() == 1 && !report_.trained)) return {};
    using RowOfContent = std::pair<int64_t, ContentId>;
    ASSIGN_OR_RETURN(
        const auto contents,
        selectRows<RowOfContent>(
            database_,
            fmt::format("SELECT id, hash FROM blob WHERE {} IN (SELECT CAST(value AS INTEGER) FROM "
                        "json_each(?))",
                        kPackOfPlace),
            [](const Query& row) { return RowOfContent(row.integer(0), hashText(row.blob(1))); },
            loose));
    for (size_t begin = 0; begin < contents.size(); begin += kTogether) {
      const auto group =
          std::span(contents).subspan(begin, std::min(kTogether, contents.size() - begin));
      RETURN_IF_ERROR(archive_.inTransaction([&]() -> Status {
        for (const auto& [row, id] : group) RETURN_IF_ERROR(loosen(row, id));
        return {};
      }));
    }
    return archive_.inTransaction([&] { return removeEmptyPacks(database_); });
  }

  Status loosen(int64_t row, const ContentId& id) {
    auto content = archive_.blobs.read(id);
    if (!content && content.error().kind == Error::Kind::kResource)
      return tl::unexpected(content.error());
    if (!content) {  // Damaged, which is fsck's business, or collected meanwhile.
      ++report_.damaged;
      return {};
    }
    ASSIGN_OR_RETURN(const auto encoded, encodeBlob(*content, dictionary_));
    RETURN_IF_ERROR(runWith(database_,
                            "UPDATE blob SET codec = ?, stored_bytes = ?, place = NULL WHERE id = "
                            "? AND hash = ? AND place IS NOT NULL",
                            encoded.codec, encoded.bytes.size(), row, hashBytes(id)));
    if (database_.changes() == 0) return {};
    return runWith(database_, "INSERT OR REPLACE INTO blob_content (blob, content) VALUES (?, ?)",
                   row, encoded.bytes);
  }

  Status packAll() {
    std::vector<NewPack> packs(1);
    const auto read = [&](const Query& row) -> Result<int64_t> {
      RETURN_IF_ERROR(add(row, packs));
      return row.integer(0);
    };
    const auto pack = [&](const std::vector<int64_t>&, int64_t done,
                          int64_t total) -> Result<bool> {
      if (packs.size() > kPacksTogether || done == total) {
        // The last pack is still open.
        NewPack open;
        if (done < total) {
          open = std::move(packs.back());
          packs.pop_back();
        }
        RETURN_IF_ERROR(keep(packs));
        packs.clear();
        packs.push_back(std::move(open));
      }
      if (options_.progress)
        options_.progress(static_cast<size_t>(done), static_cast<size_t>(total));
      return true;
    };
    RETURN_IF_ERROR(visitSetAside<int64_t>(
        database_, std::string(kOrdered), Bindings{{int64_t{kLargestWithDictionary}}},
        "SELECT b.id, b.codec, b.stored_bytes, b.hash, c.content, b.bytes FROM temp.selection AS s "
        "CROSS JOIN blob AS b ON b.id = s.record CROSS JOIN blob_content AS c ON c.blob = b.id",
        kPackedRows, read, pack));
    return {};
  }

  // The last pack stays open.
  Status add(const Query& query, std::vector<NewPack>& packs) {
    Member member{query.integer(0), query.integer(1), query.integer(2), 0, 0, {}};
    ++report_.looked;
    report_.bytesBefore += member.storedBytes;
    report_.bytesAfter += member.storedBytes;
    const auto hash = query.blob(3);
    member.hash.assign(hash.begin(), hash.end());
    const auto content =
        archive_.blobs.decode(member.codec, query.blob(4), static_cast<uint64_t>(query.integer(5)));
    if (!content && content.error().kind == Error::Kind::kResource)
      return tl::unexpected(content.error());
    if (!content || contentHash(*content) != hashText(member.hash)) {
      ++report_.damaged;
      return {};
    }
    NewPack& pack = packs.back();
    if (pack.content.size() - pack.frameBegin + content->size() > kLargestFrame) pack.closeFrame();
    member.start = pack.content.size();
    member.bytes = content->size();
    pack.members.push_back(std::move(member));
    pack.content.insert(pack.content.end(), content->begin(), content->end());
    if (pack.content.size() - pack.frameBegin >= kFrameBytes) pack.closeFrame();
    if (pack.content.size() >= kPackBytes) packs.emplace_back();
    return {};
  }

  Status keep(std::span<NewPack> packs) {
    dictionary_->forPacks();  // Made once, before the threads that share it.
    inParallel(packs.size(), 1, [&](size_t index) { packs[index].made = make(packs[index]); });
    for (const NewPack& pack : packs) RETURN_IF_ERROR(pack.made);
    return archive_.inTransaction([&]() -> Status {
      for (const NewPack& pack : packs) RETURN_IF_ERROR(write(pack));
      return {};
    });
  }

  Status make(NewPack& pack) const {
    pack.closeFrame();
    size_t begin = 0;
    for (const size_t end : pack.frameEnds) {
      const auto content = std::span(pack.content).subspan(begin, end - begin);
      ASSIGN_OR_RETURN(const auto frame, encodeFrame(content, dictionary_));
      const auto again = decodeFrame(frame, content.size(), dictionary_);
      if (!again || !std::ranges::equal(*again, content))
        return ioError("zstd does not give back what it packed; memory may be faulty");
      pack.encoded.insert(pack.encoded.end(), frame.begin(), frame.end());
      begin = end;
    }
    return {};
  }

  // The rows that are still what was read.
  Status write(const NewPack& pack) {
    const auto newBytes = static_cast<int64_t>(pack.encoded.size());
    int64_t oldBytes = 0;
    for (const Member& member : pack.members) oldBytes += member.storedBytes;
    if (pack.members.empty() || newBytes >= oldBytes) return {};
    RETURN_IF_ERROR(runWith(database_, "INSERT INTO pack (bytes, codec, content) VALUES (?, ?, ?)",
                            pack.content.size(), BlobCodec::kZstdDictionary, pack.encoded));
    const int64_t number = database_.lastRow();
    report_.bytesAfter += newBytes;
    for (const Member& member : pack.members) {
      RETURN_IF_ERROR(runWith(database_, R"(
          UPDATE blob SET codec = ?, stored_bytes = 0, place = ?
          WHERE id = ? AND hash = ? AND codec = ? AND stored_bytes = ? AND bytes = ? AND in_file = 0)",
                              BlobCodec::kPacked, placeInPack(number, member.start), member.row,
                              member.hash, member.codec, member.storedBytes, member.bytes));
      if (database_.changes() == 0) continue;
      ++report_.packed;
      report_.bytesAfter -= member.storedBytes;
      RETURN_IF_ERROR(runWith(database_, "DELETE FROM blob_content WHERE blob = ?", member.row));
    }
    return {};
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
  ASSIGN_OR_RETURN(const auto pages, self.database->integer("PRAGMA page_count"));
  ASSIGN_OR_RETURN(const auto free, self.database->integer("PRAGMA freelist_count"));
  ASSIGN_OR_RETURN(const auto size, self.database->integer("PRAGMA page_size"));
  if ((free * size + looseBytes) * 4 <= pages * size) return 0;
  RETURN_IF_ERROR(self.database->execute("VACUUM"));
  // The file itself shrinks when the log is written back.
  RETURN_IF_ERROR(self.database->writeLogBack());
  ASSIGN_OR_RETURN(const auto now, self.database->integer("PRAGMA page_count"));
  return (pages - now) * size;
}

}  // namespace vintage::archive

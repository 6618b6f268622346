// Artifacts' rows in the index.
//
// Free functions over the Database; a call that writes belongs inside the
// caller's transaction.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/store/change_log.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The values that many artifacts share: each value stands once, in small tables, and an artifact's
// row holds numbers. The view `artifact_record` puts them together again.
//
// Artifacts that were put one after the other and differ only in content, golden, platforms and the
// name's suffix are a family: one row holds their common values, and the range of rows that it
// covers. Its number is the first artifact's.
//
// Rejected: one row with all texts for each artifact. Nine tenths of an index of small programs
// were the same few texts over and over, and SQLite's pages are not packed. Rejected: the same
// numbers in each artifact's row, and two indexes over them, which were a third of the index.

// A name is its head, its tail and its suffix, which many names share: "tanh_f32[8,8]", "_poly" and
// "/cpu". The stem is all but the suffix.
struct NameParts {
  std::string_view stem, head, tail, suffix;
};
NameParts partsOfName(std::string_view name);

// In SQL: that family `f` covers artifact `r`, to find the one or the other by.
inline constexpr std::string_view kArtifactsOfFamily = "r.id BETWEEN f.id AND f.id + f.span - 1";
inline constexpr std::string_view kFamilyOfArtifact =
    "f.id = (SELECT max(id) FROM family WHERE id <= r.id) AND r.id < f.id + f.span";

// SELECT of columns of `artifact AS r` and its `form AS m`, `origin AS o` and family, by the head
// and the tail of its name, which are bound, and the `rest` of the condition.
std::string selectByName(std::string_view columns, std::string_view rest);

// The artifact's row; none where it is not kept. A whole archive has one of each name and producer.
Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer);
// The newest artifact with this name, of any producer.
Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name);
// The newest artifact with this content, of any name.
Result<std::optional<int64_t>> newestRowOfContent(Database& database, int64_t blob);

// Families' rows in the index. A call that writes belongs inside the caller's transaction.

// The common values of a family's artifacts, as in its row.
struct FamilyFacts {
  int64_t head = 0, tail = 0, origin = 0, kind = 0;
  std::optional<int64_t> targets;  // None: an empty list.
  bool caseIsStem = false;
  std::optional<std::string> caseId;  // None where there is none, or it is the stem.
  bool operator==(const FamilyFacts&) const = default;
};

struct Family {
  int64_t id = 0, span = 0;
  FamilyFacts facts;
  bool covers(int64_t row) const { return row >= id && row - id < span; }
};

// The last family that begins at `row` or before it.
Result<std::optional<Family>> familyBefore(Database& database, int64_t row);
// In the place of one that begins there.
Status insertFamily(Database& database, const Family& family);
Status setSpan(Database& database, int64_t family, int64_t span);
// The family's artifacts before and behind `row` stay together.
Status takeOut(Database& database, const Family& family, int64_t row);

// Removes an artifact's row, its family's and its name's head where nothing else has them.
Status deleteArtifact(Database& database, int64_t row);

// Sorts what has to be sorted. kUsage where a name or producer is missing, too
// long, or holds control characters.
Status normalize(ArtifactRecord& record);

// Artifacts that damage to this content affects: "NAME (PRODUCER)", at most `longest` of them, and
// the golden's users with "the golden of" before them.
Result<std::vector<std::string>> usersOfContent(Database& database, const ContentId& id,
                                                size_t longest);

// Artifacts' rows as records.
//
// A row and its family's row hold numbers: the shared values (above) stand in small tables, whose
// rows neither change nor go. A reader reads each of them once, for as long as it lives: one call,
// such as a walk over all artifacts. The view artifact_record would join them to each artifact
// anew, which took five times as long.

// Columns of a reader, from `artifact AS r`, with its `family AS f` and kArtifactContents behind.
inline constexpr std::string_view kArtifactColumns =
    "r.id, r.form, f.tail, f.origin, f.kind, f.targets, f.case_id, f.case_id IS 1, n.text, b.hash, "
    "b.bytes, g.hash";
// CROSS: they are looked up for the artifact, never the other way round.
inline constexpr std::string_view kArtifactContents =
    " LEFT JOIN head AS n ON n.id = f.head CROSS JOIN blob AS b ON b.id = r.blob LEFT JOIN blob AS "
    "g ON g.id = r.golden";

class ArtifactReader {
 public:
  explicit ArtifactReader(Database& database);

  // The row that the query stands on. A missing text reads as empty; a missing list is kBadInput.
  Result<ArtifactInRow> read(const Query& query);
  // kNotFound where it is gone, or its content's row is.
  Result<ArtifactRecord> row(int64_t id);

 private:
  struct Parts;
  Database& database_;
  std::shared_ptr<Parts> parts_;
};

// Artifacts that are put together, inside one transaction.
//
// A writer remembers the numbers of values that it found or wrote: the next artifacts share most of
// them. It belongs to one transaction, and goes with it, so it never remembers a value that was
// rolled back. An artifact of a family that is there already costs one statement.
class ArtifactWriter {
 public:
  // The caller has begun the transaction. Nobody else writes artifacts in it before finish().
  explicit ArtifactWriter(Database& database) : database_(database), reader_(database) {}
  ArtifactWriter(const ArtifactWriter&) = delete;

  // The artifact's row; none where it is not kept.
  Result<std::optional<int64_t>> find(std::string_view name, std::string_view producer);
  Result<ArtifactRecord> read(int64_t row);
  // A new row behind all others, of a name and producer that find() does not find.
  Status insert(const ArtifactRecord& record, int64_t blob, std::optional<int64_t> golden);
  // Makes a row say what `record` does; its golden only where it has none. The others of its
  // family stay what they are.
  Status update(int64_t row, const ArtifactRecord& record, std::optional<int64_t> golden);
  // Before the commit: the row of the newest family is written when it is known how many
  // artifacts it has.
  Status finish() { return writeFamily(); }

  Database& database() { return database_; }

 private:
  struct Named {
    std::string suffix;
    int64_t row;
  };
  // The row of a small table whose columns, in this order, say these values.
  template <typename... Values>
  Result<int64_t> keep(std::string_view table, std::initializer_list<std::string_view> columns,
                       const Values&... values);
  Result<int64_t> keepList(const std::vector<std::string>& texts);
  Result<int64_t> keepForm(const ArtifactRecord& record);
  Result<int64_t> keepKind(const ArtifactRecord& record);
  Result<FamilyFacts> keepFacts(const ArtifactRecord& record);
  Result<std::vector<Named>> findAll(const NameParts& name, std::string_view producer);
  Status joinFamily(int64_t row, const ArtifactRecord& record);
  Status writeFamily();

  Database& database_;
  ArtifactReader reader_;
  std::unordered_map<std::string, int64_t> rows_;  // Of the small tables.
  // By stem and producer: all artifacts of them.
  std::unordered_map<std::string, std::vector<Named>> named_;
  std::optional<int64_t> nextRow_;
  std::optional<Family> family_;        // The last one of the archive.
  int64_t writtenSpan_ = 0;             // As its row has it; 0 where it has none yet.
  std::optional<ArtifactRecord> last_;  // One of its artifacts.
};

// `blob` and `golden` are rows of blobs that are kept. See Archive::put for
// what is filled in and what is a kConflict.
Status putArtifact(ArtifactWriter& writer, const ArtifactRecord& record, int64_t blob,
                   std::optional<int64_t> golden, const Author& author);

}  // namespace vintage::archive

// The part of archive/store/index_check.h about artifacts' and contents' rows, and files.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/database.h"
#include "archive/store/index_check.h"
#include "archive/store/row_values.h"

namespace vintage::archive {
namespace {

constexpr int64_t kRowPage = 500;

constexpr std::string_view kSelectContent =
    "SELECT b.id, b.bytes, b.codec = 3, b.codec = 4, b.stored_bytes, b.hash, b.in_file, "
    "length(c.content), b.place >> 21, b.place & 0x1fffff, k.bytes FROM blob AS b LEFT JOIN "
    "blob_content AS c ON c.blob = b.id LEFT JOIN pack AS k ON k.id = b.place >> 21";
static_assert(kPackOfPlace == "place >> 21");
constexpr auto kReadContent =
    kReadMembers<&ContentRow::id, &ContentRow::bytes, &ContentRow::isRemoved, &ContentRow::isPacked,
                 &ContentRow::storedBytes, &ContentRow::content, &ContentRow::inFile,
                 &ContentRow::contentBytes, &ContentRow::pack, &ContentRow::start,
                 &ContentRow::packBytes>;

constexpr std::string_view kSelectArtifact = "SELECT id, name, producer FROM artifact_record";
constexpr auto kReadArtifact =
    kReadMembers<&ArtifactRow::id, &ArtifactRow::name, &ArtifactRow::producer>;

// Walks a table of the index in pages, as far as SQLite can read it.
//
// In a damaged table rows are unreadable, or out of order. The walk skips
// unreadable rows, takes rows that are out of order as they come, and always
// ends. SQLite's own check (archive/store/index_check.h) reports the damage.
class TableWalk {
 public:
  // `select` ends where "WHERE ID > ? ORDER BY ID LIMIT ?" follows; its first
  // column is the row's number, which `number` names ("b.id").
  TableWalk(Database& database, std::string_view select, std::string_view number, int64_t page)
      : database_(database),
        sql_(fmt::format("{} WHERE {} > ? ORDER BY {} LIMIT ?", select, number, number)),
        page_(page) {}

  // The next page's rows to `take`; false where there are none left.
  Result<bool> next(const std::function<void(const Query&)>& take) {
    while (!ended_) {
      ASSIGN_OR_RETURN(const auto rows, read(take));
      if (rows > 0) return true;
      if (!broke_) return false;
      const auto more = skip();
      if (!more || !*more) return more;
    }
    return false;
  }

 private:
  // How many rows there were behind `last_`, until one could not be read.
  Result<int64_t> read(const std::function<void(const Query&)>& take) {
    broke_ = false;
    ASSIGN_OR_RETURN(auto query, database_.query(sql_));
    query.bind(last_).bind(page_);
    int64_t count = 0, back = 0, largest = last_;
    while (true) {
      const auto row = query.step();
      broke_ = !row && row.error().kind == Error::Kind::kBadInput;
      if (!row && !broke_) return tl::unexpected(row.error());
      if (broke_ || !*row) break;
      take(query);
      back = query.integer(0);
      largest = std::max(largest, back);
      ++count;
    }
    ended_ = !broke_ && count < page_;
    // A number that is too large would lead past rows that are there, one that is
    // too small back to rows that were read.
    const bool forward = (back > last_ ? back : largest) > last_;
    if (count > 0 && !forward) return 0;
    if (count > 0) last_ = back > last_ ? back : largest;
    return count;
  }

  Result<bool> readable(int64_t after) {
    ASSIGN_OR_RETURN(auto query, database_.query(sql_));
    const auto row = query.bind(after).bind(1).step();
    if (!row && row.error().kind == Error::Kind::kBadInput) return false;
    if (!row) return tl::unexpected(row.error());
    return true;
  }

  // Moves `last_` behind what cannot be read; false where nothing follows.
  // Whole pages of the file cannot be read, so a few dozen looks find their end:
  // first with steps that double, then by halves.
  Result<bool> skip() {
    int64_t bad = last_, step = 1;
    while (true) {
      if (bad > INT64_MAX - step) return false;
      ASSIGN_OR_RETURN(const auto found, readable(bad + step));
      if (found) break;
      bad += step;
      if (step <= INT64_MAX / 2) step *= 2;
    }
    int64_t good = bad + step;
    while (good - 1 > bad) {
      const int64_t middle = std::midpoint(bad, good);
      ASSIGN_OR_RETURN(const auto found, readable(middle));
      (found ? good : bad) = middle;
    }
    last_ = good;
    return true;
  }

  Database& database_;
  std::string sql_;
  int64_t page_;
  int64_t last_ = 0;
  bool broke_ = false;  // The page ended where a row could not be read.
  bool ended_ = false;
};

// No column is a list, so each row can be read.
template <typename Row, typename Read>
Status walkRows(const Archive& archive, std::string_view table, std::string_view select,
                std::string_view number, const Read& read,
                const std::function<Status(std::span<const Row>, int64_t)>& visit) {
  Database& database = indexOf(archive);
  TableWalk walk(database, select, number, kRowPage);
  const int64_t total = database.integer(fmt::format("SELECT count(*) FROM {}", table)).value_or(0);
  std::vector<Row> rows;
  while (true) {
    rows.clear();
    ASSIGN_OR_RETURN(const auto more,
                     walk.next([&](const Query& query) { rows.push_back(*read(query)); }));
    if (!more) return {};
    RETURN_IF_ERROR(visit(rows, total));
  }
}

template <typename Row, typename Read>
Result<std::optional<Row>> rowWith(const Archive& archive, std::string_view select,
                                   std::string_view number, const Read& read, int64_t id) {
  const std::string sql = fmt::format("{} WHERE {} = ?", select, number);
  ASSIGN_OR_RETURN(auto rows, selectRows<Row>(indexOf(archive), sql, read, id));
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

}  // namespace

Status visitArtifactRows(const Archive& archive, const VisitArtifactRows& visit) {
  return walkRows<ArtifactRow>(archive, "artifact", kSelectArtifact, "id", kReadArtifact, visit);
}

Result<std::optional<ArtifactRow>> artifactRow(const Archive& archive, int64_t id) {
  return rowWith<ArtifactRow>(archive, kSelectArtifact, "id", kReadArtifact, id);
}

Result<std::optional<int64_t>> rowOfArtifact(const Archive& archive, std::string_view name,
                                             std::string_view producer) {
  return rowOfArtifact(indexOf(archive), name, producer);
}

Status visitContentRows(const Archive& archive, const VisitContentRows& visit) {
  return walkRows<ContentRow>(archive, "blob", kSelectContent, "b.id", kReadContent, visit);
}

Result<std::optional<ContentRow>> contentRow(const Archive& archive, int64_t id) {
  return rowWith<ContentRow>(archive, kSelectContent, "b.id", kReadContent, id);
}

Result<std::optional<int64_t>> firstRowOf(const Archive& archive, const ContentId& id) {
  return rowOfHash(indexOf(archive), hashBytes(id));
}

Result<ContentUse> useOf(const Archive& archive, const ContentRow& row) {
  ContentUse use;
  RETURN_IF_ERROR(firstRow(indexOf(archive),
                           fmt::format("SELECT {}, EXISTS (SELECT 1 FROM lease_content WHERE hash "
                                       "= ?2), EXISTS (SELECT 1 FROM outcome WHERE blob = ?1)",
                                       isNamed("?1")),
                           std::tie(use.named, use.leased, use.outcomes), row.id,
                           hashBytes(row.content)));
  return use;
}

Result<ContentRoles> rolesOf(const Archive& archive, const ContentRow& row) {
  ContentRoles roles;
  RETURN_IF_ERROR(firstRow(
      indexOf(archive),
      "SELECT EXISTS (SELECT 1 FROM artifact_record WHERE blob = ?1 AND format = ?2), EXISTS "
      "(SELECT 1 FROM artifact_record WHERE blob = ?1 AND format = ?3), EXISTS (SELECT 1 FROM "
      "artifact WHERE golden = ?1)",
      std::tie(roles.exported, roles.portable, roles.golden), row.id,
      ArtifactRecord::Format::kExported, ArtifactRecord::Format::kPortableArtifact));
  return roles;
}

Result<AffectedRecords> affectedBy(const Archive& archive, const ContentId& id, size_t longest) {
  static const std::string kDictionary =
      "SELECT d.id FROM blob AS b CROSS JOIN dictionary AS d ON d.blob = b.id WHERE " +
      hashIs("b.hash");
  // Recorded with this content, as artifact or as golden.
  static const std::string kOutcomes = fmt::format(
      "SELECT (SELECT count(*) FROM blob AS b CROSS JOIN outcome AS o ON o.blob = b.id WHERE {0}) "
      "+ (SELECT count(*) FROM blob AS b CROSS JOIN artifact AS a ON a.golden = b.id CROSS JOIN "
      "outcome AS o ON o.blob = a.blob AND o.golden = ?1 WHERE {0})",
      hashIs("b.hash"));
  Database& database = indexOf(archive);
  const std::vector<std::byte> hash = hashBytes(id);
  AffectedRecords affected;
  ASSIGN_OR_RETURN(affected.users, usersOfContent(database, id, longest));
  ASSIGN_OR_RETURN(const auto dictionary, firstInteger(database, kDictionary, hash));
  if (dictionary)
    affected.users.push_back(
        fmt::format("every content that is packed with dictionary {}", *dictionary));
  ASSIGN_OR_RETURN(const auto outcomes, firstInteger(database, kOutcomes, hash));
  affected.outcomes = outcomes.value_or(0);
  return affected;
}

Result<std::vector<KeptDictionary>> keptDictionaries(const Archive& archive) {
  return selectMembers<&KeptDictionary::id, &KeptDictionary::content>(
      indexOf(archive),
      "SELECT d.id, b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob ORDER BY d.id");
}

Status checkCopy(const Archive& archive, const KeptDictionary& dictionary) {
  RETURN_IF_ERROR(blobsOf(archive).readCopy(dictionary.content));
  return {};
}

Status remakeCopy(Archive& archive, const KeptDictionary& dictionary) {
  ASSIGN_OR_RETURN(const auto first, blobsOf(archive).read(dictionary.content));
  return blobsOf(archive).writeCopy(dictionary.content, first);
}

Result<std::vector<std::byte>> readStored(const Archive& archive, const ContentId& id) {
  return blobsOf(archive).read(id);
}

Result<std::vector<std::byte>> readLoose(const Archive& archive, const ContentId& id) {
  return blobsOf(archive).readLoose(id);
}

std::string contentFile(const Archive& archive, const ContentId& id) {
  return blobsOf(archive).filePath(id);
}

Result<FileUse> fileUse(const Archive& archive, const ContentId& id) {
  return blobsOf(archive).fileUse(id);
}

Result<bool> isAbandoned(const Archive& archive, const std::string& name) {
  return blobsOf(archive).isAbandoned(name);
}

}  // namespace vintage::archive

// The part of archive/store/index_check.h about artifacts' and contents' rows, and files.
#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/database.h"
#include "archive/store/index_check.h"
#include "archive/store/row_values.h"

namespace vintage::archive {
namespace {

constexpr int64_t kRowPage = 500;

constexpr std::string_view kSelectContent =
    "SELECT b.id, b.bytes, b.codec, b.stored_bytes, b.hash, b.in_file, length(c.content), "
    "b.place, k.bytes FROM blob AS b LEFT JOIN blob_content AS c ON c.blob = b.id LEFT JOIN pack "
    "AS k ON k.id = b.place >> 21";
static_assert(kPackOfPlace == "place >> 21");

ContentRow contentOf(const Query& query) {
  ContentRow row;
  row.id = query.integer(0);
  row.bytes = query.integer(1);
  row.isRemoved = query.integer(2) == static_cast<int64_t>(BlobCodec::kRemoved);
  row.isPacked = query.integer(2) == static_cast<int64_t>(BlobCodec::kPacked);
  row.storedBytes = query.integer(3);
  row.content = hashText(query.blob(4));
  row.inFile = query.integer(5) != 0;
  if (!query.isNull(6)) row.contentBytes = query.integer(6);
  row.pack = packOf(query.integer(7));
  row.start = startOf(query.integer(7));
  if (!query.isNull(8)) row.packBytes = query.integer(8);
  return row;
}

ArtifactRow artifactRowOf(const Query& query) {
  return {query.integer(0), query.text(1), query.text(2)};
}

template <typename Row, typename Read>
Status walkRows(Database& database, std::string_view table, TableWalk walk, const Read& read,
                const std::function<Status(std::span<const Row>, int64_t)>& visit) {
  const int64_t total =
      database.integer(fmt::format("SELECT count(*) FROM {}", table)).value_or(0);
  std::vector<Row> rows;
  while (true) {
    rows.clear();
    ASSIGN_OR_RETURN(const auto more,
                     walk.next([&](const Query& query) { rows.push_back(read(query)); }));
    if (!more) return {};
    RETURN_IF_ERROR(visit(rows, total));
  }
}

}  // namespace

Status visitArtifactRows(const Archive& archive, const VisitArtifactRows& visit) {
  Database& database = indexOf(archive);
  TableWalk walk(database, "SELECT id, name, producer FROM artifact_record", "id", kRowPage);
  return walkRows<ArtifactRow>(database, "artifact", std::move(walk), artifactRowOf, visit);
}

Result<std::optional<ArtifactRow>> artifactRow(const Archive& archive, int64_t id) {
  ASSIGN_OR_RETURN(auto rows,
                   selectRows<ArtifactRow>(
                       indexOf(archive),
                       "SELECT id, name, producer FROM artifact_record WHERE id = ?", artifactRowOf,
                       id));
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

Result<ArtifactRecord> artifactOfRow(const Archive& archive, int64_t row) {
  return artifactOfRow(indexOf(archive), row);
}

Result<std::optional<int64_t>> rowOfArtifact(const Archive& archive, std::string_view name,
                                             std::string_view producer) {
  return rowOfArtifact(indexOf(archive), name, producer);
}

Result<std::optional<ArtifactRecord>> artifactNamed(const Archive& archive, std::string_view name,
                                                    std::string_view producer) {
  return artifactNamed(indexOf(archive), name, producer);
}

Status visitContentRows(const Archive& archive, const VisitContentRows& visit) {
  Database& database = indexOf(archive);
  TableWalk walk(database, kSelectContent, "b.id", kRowPage);
  return walkRows<ContentRow>(database, "blob", std::move(walk), contentOf, visit);
}

Result<std::optional<ContentRow>> contentRow(const Archive& archive, int64_t id) {
  ASSIGN_OR_RETURN(auto query,
                   indexOf(archive).query(std::string(kSelectContent) + " WHERE b.id = ?"));
  ASSIGN_OR_RETURN(const auto found, query.bind(id).step());
  if (!found) return std::nullopt;
  return contentOf(query);
}

Result<std::optional<int64_t>> firstRowOf(const Archive& archive, const ContentId& id) {
  return rowOfHash(indexOf(archive), hashBytes(id));
}

Result<ContentUse> useOf(const Archive& archive, const ContentRow& row) {
  ASSIGN_OR_RETURN(
      auto query,
      indexOf(archive).query("SELECT EXISTS (SELECT 1 FROM artifact WHERE blob = ?1) OR "
                             "EXISTS (SELECT 1 FROM artifact WHERE golden = ?1) OR "
                             "EXISTS (SELECT 1 FROM dictionary WHERE blob = ?1) OR "
                             "EXISTS (SELECT 1 FROM travelling_list_part WHERE blob = ?1), "
                             "EXISTS (SELECT 1 FROM lease_content WHERE hash = ?2), "
                             "EXISTS (SELECT 1 FROM outcome WHERE blob = ?1)"));
  ASSIGN_OR_RETURN(const auto found, query.bind(row.id).bindBlob(hashBytes(row.content)).step());
  if (!found) return ContentUse{};
  return ContentUse{query.integer(0) != 0, query.integer(1) != 0, query.integer(2) != 0};
}

Result<ContentRoles> rolesOf(const Archive& archive, const ContentRow& row) {
  ASSIGN_OR_RETURN(
      auto query,
      indexOf(archive).query("SELECT EXISTS (SELECT 1 FROM artifact_record WHERE blob = ?1 "
                             "AND format = ?2), EXISTS (SELECT 1 FROM artifact_record WHERE "
                             "blob = ?1 AND format = ?3), EXISTS (SELECT 1 FROM artifact "
                             "WHERE golden = ?1)"));
  ASSIGN_OR_RETURN(const auto found,
                   query.bind(row.id)
                       .bind(static_cast<int>(ArtifactRecord::Format::kExported))
                       .bind(static_cast<int>(ArtifactRecord::Format::kPortableArtifact))
                       .step());
  if (!found) return ContentRoles{};
  return ContentRoles{query.integer(0) != 0, query.integer(1) != 0, query.integer(2) != 0};
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
  return selectRows<KeptDictionary>(
      indexOf(archive),
      "SELECT d.id, b.hash FROM dictionary AS d JOIN blob AS b ON b.id = d.blob ORDER BY d.id",
      [](const Query& row) { return KeptDictionary{row.integer(0), hashText(row.blob(1))}; });
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

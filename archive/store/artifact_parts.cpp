#include "archive/store/artifact_parts.h"

#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

// As the migration to format 10 splits names, in SQL (archive/store/schema.cpp).
constexpr size_t kLongestSuffix = 16;

template <typename... Values>
Result<std::optional<int64_t>> firstInteger(Database& database, std::string_view sql,
                                            const Values&... values) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  ASSIGN_OR_RETURN(const auto found, bindRow(query, values...).step());
  if (!found) return std::nullopt;
  return query.integer(0);
}

// `find` and `insert` have the same parameters. Nearly always it is there.
template <typename... Values>
Result<int64_t> findOrInsert(Database& database, std::string_view find, std::string_view insert,
                             const Values&... values) {
  ASSIGN_OR_RETURN(const auto found, firstInteger(database, find, values...));
  if (found) return *found;
  RETURN_IF_ERROR(runWith(database, insert, values...));
  return database.lastRow();
}

Result<int64_t> keepList(Database& database, const std::vector<std::string>& texts) {
  const std::string list = listText(texts);
  ASSIGN_OR_RETURN(const auto found,
                   firstInteger(database, "SELECT id FROM list WHERE texts = ?", list));
  if (found) return *found;
  RETURN_IF_ERROR(runWith(database, "INSERT INTO list (texts) VALUES (?)", list));
  const int64_t row = database.lastRow();
  // One text may stand in a list twice.
  for (const std::string& term : texts)
    RETURN_IF_ERROR(
        runWith(database, "INSERT OR IGNORE INTO list_term (term, list) VALUES (?, ?)", term, row));
  return row;
}

}  // namespace

NameParts partsOfName(std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || slash == 0 || name.size() - slash > kLongestSuffix)
    return {name, {}};
  return {name.substr(0, slash), name.substr(slash)};
}

Result<ArtifactParts> keepParts(Database& database, const ArtifactRecord& record) {
  const NameParts name = partsOfName(record.name);
  ArtifactParts parts;
  ASSIGN_OR_RETURN(parts.stem, findOrInsert(database, "SELECT id FROM stem WHERE text = ?",
                                            "INSERT INTO stem (text) VALUES (?)", name.stem));
  ASSIGN_OR_RETURN(parts.suffix, findOrInsert(database, "SELECT id FROM suffix WHERE text = ?",
                                              "INSERT INTO suffix (text) VALUES (?)", name.suffix));
  ASSIGN_OR_RETURN(
      parts.origin,
      findOrInsert(database,
                   "SELECT id FROM origin WHERE producer = ? AND build_day = ? AND format = ? AND "
                   "calling_convention = ? AND serialization = ? AND stablehlo = ?",
                   "INSERT INTO origin (producer, build_day, format, calling_convention, "
                   "serialization, stablehlo) VALUES (?, ?, ?, ?, ?, ?)",
                   record.producer, record.buildDate, record.format,
                   record.callingConventionVersion, record.serializationVersion,
                   record.stablehloVersion));
  ASSIGN_OR_RETURN(const auto dtypes, keepList(database, record.dtypes));
  ASSIGN_OR_RETURN(
      parts.kind,
      findOrInsert(database,
                   "SELECT id FROM kind WHERE primitive = ? AND variant = ? AND device_count = ? "
                   "AND dtypes = ?",
                   "INSERT INTO kind (primitive, variant, device_count, dtypes) VALUES (?, ?, ?, "
                   "?)",
                   record.primitive, record.variant, record.deviceCount, dtypes));
  ASSIGN_OR_RETURN(parts.platforms, keepList(database, record.platforms));
  if (!record.customCallTargets.empty()) {
    ASSIGN_OR_RETURN(parts.targets, keepList(database, record.customCallTargets));
  }
  return parts;
}

Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer) {
  const NameParts parts = partsOfName(name);
  return firstInteger(database,
                      "SELECT r.id FROM stem AS s CROSS JOIN artifact AS r INDEXED BY "
                      "artifact_by_name ON r.stem = s.id CROSS JOIN suffix AS x ON x.id = r.suffix "
                      "CROSS JOIN origin AS o ON o.id = r.origin WHERE s.text = ? AND x.text = ? "
                      "AND o.producer = ?",
                      parts.stem, parts.suffix, producer);
}

Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name) {
  const NameParts parts = partsOfName(name);
  return firstInteger(database,
                      "SELECT r.id FROM stem AS s CROSS JOIN artifact AS r INDEXED BY "
                      "artifact_by_name ON r.stem = s.id CROSS JOIN suffix AS x ON x.id = r.suffix "
                      "CROSS JOIN origin AS o ON o.id = r.origin WHERE s.text = ? AND x.text = ? "
                      "ORDER BY o.build_day DESC, r.id DESC LIMIT 1",
                      parts.stem, parts.suffix);
}

Status forgetName(Database& database, std::string_view name) {
  return runWith(database,
                 "DELETE FROM stem WHERE text = ? AND NOT EXISTS (SELECT 1 FROM artifact AS r "
                 "WHERE r.stem = stem.id)",
                 partsOfName(name).stem);
}

}  // namespace vintage::archive::store

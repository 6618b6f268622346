#include "archive/store/artifact_parts.h"

#include <fmt/format.h>

#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

// As the migration to format 11 splits names, in SQL (archive/store/schema_values_once.cpp).
constexpr size_t kLongestSuffix = 32;

template <typename... Values>
Result<std::optional<int64_t>> firstInteger(Database& database, std::string_view sql,
                                            const Values&... values) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  ASSIGN_OR_RETURN(const auto found, bindRow(query, values...).step());
  if (!found || query.isNull(0)) return std::nullopt;
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

Result<int64_t> keepLabel(Database& database, std::string_view text) {
  return findOrInsert(database, "SELECT id FROM label WHERE text = ?",
                      "INSERT INTO label (text) VALUES (?)", text);
}

Result<int64_t> keepForm(Database& database, const ArtifactRecord& record) {
  ASSIGN_OR_RETURN(const auto platforms, keepList(database, record.platforms));
  return findOrInsert(database, "SELECT id FROM form WHERE suffix = ? AND platforms = ?",
                      "INSERT INTO form (suffix, platforms) VALUES (?, ?)",
                      partsOfName(record.name).suffix, platforms);
}

Result<int64_t> keepKind(Database& database, const ArtifactRecord& record) {
  ASSIGN_OR_RETURN(const auto primitive, keepLabel(database, record.primitive));
  ASSIGN_OR_RETURN(const auto variant, keepLabel(database, record.variant));
  ASSIGN_OR_RETURN(const auto dtypes, keepList(database, record.dtypes));
  return findOrInsert(
      database,
      "SELECT id FROM kind WHERE primitive = ? AND variant = ? AND device_count = ? AND dtypes = ?",
      "INSERT INTO kind (primitive, variant, device_count, dtypes) VALUES (?, ?, ?, ?)", primitive,
      variant, record.deviceCount, dtypes);
}

Result<int64_t> keepOrigin(Database& database, const ArtifactRecord& record) {
  return findOrInsert(
      database,
      "SELECT id FROM origin WHERE producer = ? AND build_day = ? AND format = ? AND "
      "calling_convention = ? AND serialization = ? AND stablehlo = ?",
      "INSERT INTO origin (producer, build_day, format, calling_convention, serialization, "
      "stablehlo) VALUES (?, ?, ?, ?, ?, ?)",
      record.producer, record.buildDate, record.format, record.callingConventionVersion,
      record.serializationVersion, record.stablehloVersion);
}

// A family's row, but for the artifacts that it covers.
struct Facts {
  int64_t head = 0, tail = 0, origin = 0, kind = 0;
  std::optional<int64_t> targets;     // None: an empty list.
  std::optional<std::string> caseId;  // None where the column holds no text.
  bool caseIsStem = false;

  Query& bind(Query& query) const {
    bindRow(query, head, tail, origin, kind, targets);
    return caseIsStem ? query.bind(1) : bindValue(query, caseId);
  }
};

Result<Facts> keepFacts(Database& database, const ArtifactRecord& record) {
  const NameParts name = partsOfName(record.name);
  Facts facts;
  ASSIGN_OR_RETURN(facts.head, findOrInsert(database, "SELECT id FROM head WHERE text = ?",
                                            "INSERT INTO head (text) VALUES (?)", name.head));
  ASSIGN_OR_RETURN(facts.tail, findOrInsert(database, "SELECT id FROM tail WHERE text = ?",
                                            "INSERT INTO tail (text) VALUES (?)", name.tail));
  ASSIGN_OR_RETURN(facts.origin, keepOrigin(database, record));
  ASSIGN_OR_RETURN(facts.kind, keepKind(database, record));
  if (!record.customCallTargets.empty()) {
    ASSIGN_OR_RETURN(facts.targets, keepList(database, record.customCallTargets));
  }
  facts.caseIsStem = record.caseId == name.stem;
  if (!record.caseId.empty()) facts.caseId = record.caseId;
  return facts;
}

struct Family {
  int64_t id = 0, span = 0;
  bool covers(int64_t row) const { return row >= id && row - id < span; }
};
// The last family that begins at `row` or before it.
Result<std::optional<Family>> familyBefore(Database& database, int64_t row) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query("SELECT id, span FROM family WHERE id <= ? ORDER BY id DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const auto found, query.bind(row).step());
  if (!found) return std::nullopt;
  return Family{query.integer(0), query.integer(1)};
}

Result<bool> says(Database& database, int64_t family, const Facts& facts) {
  ASSIGN_OR_RETURN(auto query,
                   database.query("SELECT 1 FROM family WHERE id = ? AND head = ? AND tail = ? AND "
                                  "origin = ? AND kind = ? AND targets IS ? AND case_id IS ?"));
  query.bind(family);
  return facts.bind(query).step();
}

Status setSpan(Database& database, int64_t family, int64_t span) {
  return runWith(database, "UPDATE family SET span = ? WHERE id = ?", span, family);
}

// One that covers only `row`; in the place of one that begins there.
Status insertFamily(Database& database, int64_t row, const Facts& facts) {
  ASSIGN_OR_RETURN(
      auto insert,
      database.query("INSERT OR REPLACE INTO family (id, span, head, tail, origin, kind, targets, "
                     "case_id) VALUES (?, 1, ?, ?, ?, ?, ?, ?)"));
  insert.bind(row);
  return facts.bind(insert).run();
}

// What stands before and behind `row` in its family stays together.
Status takeOut(Database& database, const Family& family, int64_t row) {
  const int64_t behind = family.id + family.span - row - 1;
  if (behind > 0)
    RETURN_IF_ERROR(runWith(
        database,
        "INSERT INTO family SELECT ?, ?, head, tail, origin, kind, targets, case_id FROM family "
        "WHERE id = ?",
        row + 1, behind, family.id));
  return row > family.id ? setSpan(database, family.id, row - family.id)
                         : runWith(database, "DELETE FROM family WHERE id = ?", family.id);
}

std::string findByName(std::string_view rest) {
  return fmt::format(
      "SELECT r.id FROM head AS h CROSS JOIN tail AS t CROSS JOIN family AS f INDEXED BY "
      "family_by_name ON f.head = h.id AND f.tail = t.id CROSS JOIN origin AS o ON o.id = f.origin "
      "CROSS JOIN artifact AS r ON {} CROSS JOIN form AS m ON m.id = r.form WHERE h.text = ? AND "
      "t.text = ? AND m.suffix = ? {}",
      kArtifactsOfFamily, rest);
}

}  // namespace

NameParts partsOfName(std::string_view name) {
  NameParts parts{name, {}, {}, {}};
  if (const size_t slash = name.rfind('/');
      slash != std::string_view::npos && slash != 0 && name.size() - slash <= kLongestSuffix) {
    parts.stem = name.substr(0, slash);
    parts.suffix = name.substr(slash);
  }
  const size_t bracket = parts.stem.rfind(']');
  parts.head = bracket == std::string_view::npos ? parts.stem : parts.stem.substr(0, bracket + 1);
  parts.tail = parts.stem.substr(parts.head.size());
  return parts;
}

Status insertArtifact(Database& database, const ArtifactRecord& record, int64_t blob,
                      std::optional<int64_t> golden) {
  ASSIGN_OR_RETURN(const auto facts, keepFacts(database, record));
  ASSIGN_OR_RETURN(const auto form, keepForm(database, record));
  ASSIGN_OR_RETURN(const auto last, firstInteger(database, "SELECT max(id) FROM artifact"));
  const int64_t row = last.value_or(0) + 1;
  ASSIGN_OR_RETURN(const auto family, familyBefore(database, row));
  ASSIGN_OR_RETURN(const bool joins, family ? says(database, family->id, facts) : false);
  if (joins && family->id + family->span == row)
    RETURN_IF_ERROR(setSpan(database, family->id, family->span + 1));
  else
    RETURN_IF_ERROR(insertFamily(database, row, facts));
  return runWith(database, "INSERT INTO artifact (id, blob, golden, form) VALUES (?, ?, ?, ?)", row,
                 blob, golden, form);
}

Status updateArtifact(Database& database, int64_t row, const ArtifactRecord& record,
                      std::optional<int64_t> golden) {
  ASSIGN_OR_RETURN(const auto facts, keepFacts(database, record));
  ASSIGN_OR_RETURN(const auto form, keepForm(database, record));
  RETURN_IF_ERROR(runWith(database,
                          "UPDATE artifact SET form = ?, golden = coalesce(golden, ?) WHERE id = ?",
                          form, golden, row));
  ASSIGN_OR_RETURN(const auto family, familyBefore(database, row));
  if (!family || !family->covers(row)) return insertFamily(database, row, facts);
  ASSIGN_OR_RETURN(const bool same, says(database, family->id, facts));
  if (same) return {};
  RETURN_IF_ERROR(takeOut(database, *family, row));
  return insertFamily(database, row, facts);
}

Status deleteArtifact(Database& database, int64_t row) {
  RETURN_IF_ERROR(runWith(database, "DELETE FROM artifact WHERE id = ?", row));
  ASSIGN_OR_RETURN(const auto family, familyBefore(database, row));
  if (!family || !family->covers(row)) return {};
  ASSIGN_OR_RETURN(const auto head,
                   firstInteger(database, "SELECT head FROM family WHERE id = ?", family->id));
  RETURN_IF_ERROR(takeOut(database, *family, row));
  return runWith(database,
                 "DELETE FROM head WHERE id = ? AND NOT EXISTS (SELECT 1 FROM family AS f WHERE "
                 "f.head = head.id)",
                 head);
}

Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer) {
  static const std::string kSql = findByName("AND o.producer = ? ORDER BY r.id LIMIT 1");
  const NameParts parts = partsOfName(name);
  return firstInteger(database, kSql, parts.head, parts.tail, parts.suffix, producer);
}

Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name) {
  static const std::string kSql = findByName("ORDER BY o.build_day DESC, r.id DESC LIMIT 1");
  const NameParts parts = partsOfName(name);
  return firstInteger(database, kSql, parts.head, parts.tail, parts.suffix);
}

}  // namespace vintage::archive::store

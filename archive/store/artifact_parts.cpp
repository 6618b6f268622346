#include "archive/store/artifact_parts.h"

#include <fmt/format.h>

#include "archive/store/row_values.h"

namespace vintage::archive {
namespace {

// See the tables of names in archive/store/schema.cpp.
constexpr size_t kLongestSuffix = 32;

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

Result<std::optional<int64_t>> newestRowOfContent(Database& database, int64_t blob) {
  static const std::string kSql = fmt::format(
      "SELECT r.id FROM artifact AS r LEFT JOIN family AS f ON {} LEFT JOIN origin AS o "
      "ON o.id = f.origin WHERE r.blob = ? ORDER BY o.build_day DESC, r.id DESC LIMIT 1",
      kFamilyOfArtifact);
  return firstInteger(database, kSql, blob);
}

Result<std::optional<Family>> familyBefore(Database& database, int64_t row) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query("SELECT id, span, head, tail, origin, kind, targets, case_id IS 1, case_id "
                     "FROM family WHERE id <= ? ORDER BY id DESC LIMIT 1"));
  ASSIGN_OR_RETURN(const auto found, query.bind(row).step());
  if (!found) return std::nullopt;
  Family family;
  FamilyFacts& facts = family.facts;
  RETURN_IF_ERROR(readRow(query, 0, family.id, family.span, facts.head, facts.tail, facts.origin,
                          facts.kind, facts.targets, facts.caseIsStem, facts.caseId));
  if (facts.caseIsStem) facts.caseId.reset();
  return family;
}

Status insertFamily(Database& database, const Family& family) {
  ASSIGN_OR_RETURN(
      auto insert,
      database.query("INSERT OR REPLACE INTO family (id, span, head, tail, origin, kind, targets, "
                     "case_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  const FamilyFacts& facts = family.facts;
  bindRow(insert, family.id, family.span, facts.head, facts.tail, facts.origin, facts.kind,
          facts.targets);
  return (facts.caseIsStem ? insert.bind(1) : bindValue(insert, facts.caseId)).run();
}

Status setSpan(Database& database, int64_t family, int64_t span) {
  return runWith(database, "UPDATE family SET span = ? WHERE id = ?", span, family);
}

Status takeOut(Database& database, const Family& family, int64_t row) {
  const int64_t behind = family.id + family.span - row - 1;
  if (behind > 0) RETURN_IF_ERROR(insertFamily(database, {row + 1, behind, family.facts}));
  return row > family.id ? setSpan(database, family.id, row - family.id)
                         : runWith(database, "DELETE FROM family WHERE id = ?", family.id);
}

Status deleteArtifact(Database& database, int64_t row) {
  RETURN_IF_ERROR(runWith(database, "DELETE FROM artifact WHERE id = ?", row));
  ASSIGN_OR_RETURN(const auto family, familyBefore(database, row));
  if (!family || !family->covers(row)) return {};
  RETURN_IF_ERROR(takeOut(database, *family, row));
  return runWith(database,
                 "DELETE FROM head WHERE id = ? AND NOT EXISTS (SELECT 1 FROM family AS f WHERE "
                 "f.head = head.id)",
                 family->facts.head);
}

}  // namespace vintage::archive

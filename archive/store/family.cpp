#include "archive/store/family.h"

#include "archive/store/row_values.h"

namespace vintage::archive::store {

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

}  // namespace vintage::archive::store

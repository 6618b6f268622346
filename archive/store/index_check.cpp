#include "archive/store/index_check.h"

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/row_values.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr int kLongestReport = 50;  // Lines of SQLite's own report.

Result<std::vector<std::string>> problemsOf(Database& database) {
  std::vector<std::string> problems;
  const Status read = visitRows(database, fmt::format("PRAGMA integrity_check({})", kLongestReport),
                                [&](const Query& row) {
                                  if (std::string problem = row.text(0); problem != "ok")
                                    problems.push_back(std::move(problem));
                                });
  if (!read && read.error().kind != Error::Kind::kBadInput) return tl::unexpected(read.error());
  if (!read) problems.push_back(read.error().message);
  return problems;
}

std::string inQuotes(std::string_view name) {
  std::string text = "\"";
  for (const char letter : name)
    text += letter == '"' ? std::string("\"\"") : std::string(1, letter);
  return text + "\"";
}

// One of SQLite's indexes over a table whose rows have numbers.
struct RowIndex {
  std::string table, name;
  bool partial = false;
  std::vector<std::string> columns;
  // An index over an expression, which SQLite's tables of itself do not list: how the table's row r
  // and the index's entry i agree.
  std::string sameExpression;
};
Result<std::vector<RowIndex>> rowIndexes(Database& database) {
  // The column -1 is the row's number; a table without such numbers has none.
  std::vector<RowIndex> indexes;
  const auto add = [&](const Query& row) {
    if (indexes.empty() || indexes.back().name != row.text(1))
      indexes.push_back({row.text(0), row.text(1), row.integer(2) != 0, {}, {}});
    indexes.back().columns.push_back(row.text(3));
  };
  RETURN_IF_ERROR(visitRows(database,
                            "SELECT m.name, l.name, l.partial, x.name FROM sqlite_schema AS m JOIN "
                            "pragma_index_list(m.name) AS l JOIN pragma_index_xinfo(l.name) AS x "
                            "WHERE m.type = 'table' AND x.cid >= 0 AND EXISTS (SELECT 1 FROM "
                            "pragma_index_xinfo(l.name) WHERE cid = -1) ORDER BY m.name, l.name, "
                            "x.seqno",
                            add));
  indexes.push_back(
      {"blob", "blob_by_hash", false, {}, " AND substr(r.hash, 1, 3) IS substr(i.hash, 1, 3)"});
  return indexes;
}

// Entries that say of a row what its table does not: either may be the damaged
// one. Those that only lack are not counted, and neither is what cannot be read.
Result<int64_t> contradictingEntries(Database& database, const RowIndex& index) {
  std::string same = index.sameExpression, condition;
  for (const std::string& column : index.columns)
    same += fmt::format(" AND r.{0} IS i.{0}", inQuotes(column));
  if (index.partial)
    condition = fmt::format("i.{} IS NOT NULL AND ", inQuotes(index.columns.front()));
  const auto count =
      database.integer(fmt::format("SELECT count(*) FROM {0} AS i INDEXED BY {1} WHERE {2}NOT "
                                   "EXISTS (SELECT 1 FROM {0} AS r NOT "
                                   "INDEXED WHERE r.rowid = i.rowid{3})",
                                   inQuotes(index.table), inQuotes(index.name), condition, same));
  if (!count && count.error().kind == Error::Kind::kBadInput) return 0;
  return count;
}

// Empty: making SQLite's indexes anew loses nothing.
//
// Rejected: rebuilding them whenever SQLite's check passes afterwards. It always
// passes where a table lost rows or a row's value changed: only the index still
// shows the damage, and rebuilding it would hide that.
Result<std::string> whyTablesMayBeDamaged(Database& database) {
  const auto indexes = rowIndexes(database);
  if (!indexes && indexes.error().kind == Error::Kind::kBadInput) return indexes.error().message;
  if (!indexes) return tl::unexpected(indexes.error());
  for (const RowIndex& index : *indexes) {
    ASSIGN_OR_RETURN(const auto entries, contradictingEntries(database, index));
    if (entries > 0)
      return fmt::format(
          "{} entries of SQLite's index {} contradict the table {}, and either may be "
          "the damaged one",
          entries, index.name, index.table);
  }
  return std::string();
}

constexpr std::string_view kMissingTerms =
    "FROM list AS l, json_each(iif(json_valid(l.texts), l.texts, '[]')) AS v WHERE NOT EXISTS "
    "(SELECT 1 FROM list_term AS t WHERE t.term = v.value AND t.list = l.id)";
constexpr std::string_view kSurplusTerms =
    "FROM list_term AS t WHERE NOT EXISTS (SELECT 1 FROM list AS l, json_each(iif(json_valid("
    "l.texts), l.texts, '[]')) AS v WHERE l.id = t.list AND v.value = t.term)";

// Rows that serve only the one that they name: without it they go. Content
// stays where a record still names it: it may be the only copy.
struct Dependent {
  std::string table, leftOver;
};
const Dependent* dependentOf(std::string_view table) {
  static const Dependent kDependents[] = {
      {"blob_content",
       "NOT EXISTS (SELECT 1 FROM blob AS p WHERE p.id = blob_content.blob) AND NOT " +
           isNamed("blob_content.blob")},
      {"lease_content", "NOT EXISTS (SELECT 1 FROM lease AS p WHERE p.id = lease_content.lease)"},
      {"hold", "NOT EXISTS (SELECT 1 FROM artifact AS p WHERE p.id = hold.artifact)"}};
  for (const Dependent& dependent : kDependents)
    if (dependent.table == table) return &dependent;
  return nullptr;
}

}  // namespace

std::string indexPath(const Archive& archive) { return indexOf(archive).path(); }

Result<std::vector<std::string>> pageProblems(const Archive& archive) {
  return problemsOf(indexOf(archive));
}

Result<std::string> remakeIndexes(Archive& archive) {
  Database& database = indexOf(archive);
  auto reason = whyTablesMayBeDamaged(database);
  if (!reason || !reason->empty()) return reason;
  const Status made = archive.writeTogether([&]() -> Status {
    RETURN_IF_ERROR(database.execute("REINDEX"));
    ASSIGN_OR_RETURN(const auto again, problemsOf(database));
    if (again.empty()) return {};
    return badInput("a table itself is damaged");  // And all is as it was.
  });
  if (!made && made.error().kind == Error::Kind::kResource) return tl::unexpected(made.error());
  return made ? std::string() : made.error().message;
}

Status checkNamingTables(const Archive& archive) {
  Database& database = indexOf(archive);
  for (const char* table :
       {"blob", "artifact", "dictionary", "travelling_list_part", "lease_content"}) {
    std::string problem;
    ASSIGN_OR_RETURN(
        const bool said,
        firstRow(database, fmt::format("PRAGMA integrity_check({})", table), std::tie(problem)));
    if (!said || problem == "ok") continue;
    return badInput(
        "{}: the index is damaged ({}), and may hide rows that name content; nothing was "
        "removed; run 'vintage fsck --repair' first",
        database.path(), problem);
  }
  return {};
}

Result<TermDifferences> compareTerms(const Archive& archive) {
  TermDifferences found;
  // One statement, so that both are of one moment.
  RETURN_IF_ERROR(firstRow(indexOf(archive),
                           fmt::format("SELECT (SELECT count(*) {}), (SELECT count(*) {})",
                                       kMissingTerms, kSurplusTerms),
                           std::tie(found.missing, found.surplus)));
  return found;
}

Status remakeTerms(Archive& archive) {
  return archive.writeTogether([&] {
    return indexOf(archive).execute(fmt::format(
        "DELETE FROM list_term WHERE (term, list) IN (SELECT t.term, t.list {}); INSERT OR "
        "IGNORE INTO list_term (term, list) SELECT v.value, l.id {}",
        kSurplusTerms, kMissingTerms));
  });
}

Result<std::vector<BrokenReference>> brokenReferences(const Archive& archive) {
  std::vector<BrokenReference> broken;
  RETURN_IF_ERROR(visitRows(indexOf(archive), "PRAGMA foreign_key_check", [&](const Query& row) {
    BrokenReference found{row.text(0), row.text(2), row.integer(1)};
    found.isDependent = dependentOf(found.table) != nullptr;
    if (broken.empty() || broken.back() != found) broken.push_back(std::move(found));
  }));
  return broken;
}

// As it is under the lock: what a row names may have been put meanwhile.
Result<bool> removeDependent(Archive& archive, const BrokenReference& reference) {
  Database& database = indexOf(archive);
  const Dependent& dependent = *dependentOf(reference.table);
  RETURN_IF_ERROR(archive.writeTogether([&] {
    return database.execute(
        fmt::format("DELETE FROM {} WHERE {}{}", dependent.table, dependent.leftOver,
                    reference.row > 0 ? fmt::format(" AND rowid = {}", reference.row) : ""));
  }));
  if (reference.row == 0) return true;
  ASSIGN_OR_RETURN(const auto left,
                   database.integer(fmt::format("SELECT count(*) FROM {} WHERE rowid = {}",
                                                dependent.table, reference.row)));
  return left == 0;
}

Result<std::vector<BadFamily>> badFamilies(const Archive& archive) {
  Database& database = indexOf(archive);
  const auto read = [](const Query& row) {
    const int64_t span = row.integer(1);
    return BadFamily{row.integer(0), span < 1
                                         ? fmt::format("it covers {}", counted(span, "artifact"))
                                         : fmt::format("row {} begins among its {}", row.integer(2),
                                                       counted(span, "artifact"))};
  };
  ASSIGN_OR_RETURN(
      auto families,
      selectRows<BadFamily>(
          database,
          "SELECT id, span, next FROM (SELECT id, span, lead(id) OVER (ORDER BY id) AS next FROM "
          "family) WHERE span < 1 OR next < id + span",
          read));
  if (!families.empty()) return families;
  ASSIGN_OR_RETURN(const auto surplus,
                   database.integer("SELECT (SELECT coalesce(sum(span), 0) FROM family) - "
                                    "(SELECT count(*) FROM artifact)"));
  if (surplus > 0)
    families.push_back(
        {std::nullopt, fmt::format("it covers {} too many", counted(surplus, "artifact"))});
  return families;
}

Result<bool> hasFamily(const Archive& archive, int64_t row) {
  return firstRow(
      indexOf(archive),
      fmt::format("SELECT 1 FROM (SELECT ? AS id) AS r JOIN family AS f ON {}", kFamilyOfArtifact),
      std::tie(), row);
}

}  // namespace vintage::archive

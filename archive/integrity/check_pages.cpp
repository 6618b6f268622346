// SQLite's own check of the index, and what of its damage can be healed: its
// indexes can be made anew, as long as the tables are whole.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive::integrity {
namespace {

constexpr int kLongestReport = 50;  // Lines of SQLite's own report.

Result<std::vector<std::string>> integrityProblems(Database& database) {
  std::vector<std::string> problems;
  auto query = database.query(fmt::format("PRAGMA integrity_check({})", kLongestReport));
  if (!query && query.error().kind == Error::Kind::kBadInput)
    return std::vector{query.error().message};
  if (!query) return tl::unexpected(query.error());
  while (true) {
    const auto row = query->step();
    if (!row && row.error().kind == Error::Kind::kBadInput) {
      problems.push_back(row.error().message);
      return problems;
    }
    if (!row) return tl::unexpected(row.error());
    if (!*row) return problems;
    if (std::string problem = query->text(0); problem != "ok")
      problems.push_back(std::move(problem));
  }
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
  ASSIGN_OR_RETURN(
      auto query,
      database.query("SELECT m.name, l.name, l.partial, x.name FROM sqlite_schema AS m JOIN "
                     "pragma_index_list(m.name) AS l JOIN pragma_index_xinfo(l.name) AS x WHERE "
                     "m.type = 'table' "
                     "AND x.cid >= 0 AND EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name) WHERE "
                     "cid = -1) ORDER "
                     "BY "
                     "m.name, l.name, x.seqno"));
  std::vector<RowIndex> indexes;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) break;
    if (indexes.empty() || indexes.back().name != query.text(1))
      indexes.push_back({query.text(0), query.text(1), query.integer(2) != 0, {}, {}});
    indexes.back().columns.push_back(query.text(3));
  }
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

// Empty: healed.
Result<std::string> makeIndexesAnew(FsckPasses& checker) {
  auto reason = whyTablesMayBeDamaged(checker.database());
  if (!reason || !reason->empty()) return reason;
  const Status made = checker.archive.inTransaction([&]() -> Status {
    RETURN_IF_ERROR(checker.database().execute("REINDEX"));
    ASSIGN_OR_RETURN(const auto again, integrityProblems(checker.database()));
    if (again.empty()) return {};
    return failure(Error::Kind::kBadInput, "a table itself is damaged");  // And all is as it was.
  });
  if (!made && made.error().kind == Error::Kind::kResource) return tl::unexpected(made.error());
  return made ? std::string() : made.error().message;
}

}  // namespace

Status checkPages(FsckPasses& checker) {
  checker.progress("index", 0, 1);
  ASSIGN_OR_RETURN(auto problems, integrityProblems(checker.database()));
  if (problems.empty()) return {};
  bool healed = false;
  std::string remedy = fmt::format(
      "run 'vintage fsck --repair', which rebuilds SQLite's indexes; where that does not help, "
      "{}",
      kRestoreIndex);
  if (checker.options.repair) {
    ASSIGN_OR_RETURN(const auto reason, makeIndexesAnew(checker));
    healed = reason.empty();
    remedy = healed ? "healed: rebuilt SQLite's indexes"
                    : fmt::format("not healed: {}; {}", reason, kRestoreIndex);
  }
  checker.indexDamaged = !healed;
  for (const std::string& problem : problems) {
    FsckFinding finding{FsckFinding::Kind::kIndex, checker.indexPath(), problem};
    finding.healed = healed;
    finding.remedy = remedy;
    RETURN_IF_ERROR(checker.add(std::move(finding)));
  }
  return {};
}

}  // namespace vintage::archive::integrity

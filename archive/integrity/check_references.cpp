// Rows that name other rows which are not there.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive::integrity {
namespace {

struct Broken {
  std::string table, parent;
  int64_t row;  // 0: of a table without numbers.
  bool operator==(const Broken&) const = default;
};
Result<std::vector<Broken>> brokenReferences(Database& database) {
  ASSIGN_OR_RETURN(auto query, database.query("PRAGMA foreign_key_check"));
  std::vector<Broken> broken;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return broken;
    Broken found{query.text(0), query.text(2), query.integer(1)};
    if (broken.empty() || broken.back() != found) broken.push_back(std::move(found));
  }
}

// Rows that serve only the one that they name: without it they go. Content
// stays where a record still names it: it may be the only copy.
struct Dependent {
  std::string_view table, leftOver;
};
constexpr Dependent kDependents[] = {
    {"blob_content",
     "NOT EXISTS (SELECT 1 FROM blob AS p WHERE p.id = blob_content.blob) AND NOT EXISTS (SELECT 1 "
     "FROM artifact AS a WHERE a.blob = blob_content.blob) AND NOT EXISTS (SELECT 1 FROM artifact "
     "AS "
     "a WHERE a.golden = blob_content.blob) AND NOT EXISTS (SELECT 1 FROM dictionary AS d WHERE "
     "d.blob = blob_content.blob) AND NOT EXISTS (SELECT 1 FROM travelling_list_part AS t WHERE "
     "t.blob = blob_content.blob)"},
    {"lease_content", "NOT EXISTS (SELECT 1 FROM lease AS p WHERE p.id = lease_content.lease)"},
    {"hold", "NOT EXISTS (SELECT 1 FROM artifact AS p WHERE p.id = hold.artifact)"}};

const Dependent* dependentOf(const std::string& table) {
  for (const Dependent& dependent : kDependents) {
    if (dependent.table == table) return &dependent;
  }
  return nullptr;
}

// As it is under the lock: what a row names may have been put meanwhile.
Result<bool> remove(FsckPasses& checker, const Dependent& dependent, const Broken& broken) {
  const Status removed = checker.archive.inTransaction([&] {
    return checker.database().execute(
        fmt::format("DELETE FROM {} WHERE {}{}", dependent.table, dependent.leftOver,
                    broken.row > 0 ? fmt::format(" AND rowid = {}", broken.row) : ""));
  });
  if (!removed) return tl::unexpected(removed.error());
  if (broken.row == 0) return true;
  ASSIGN_OR_RETURN(const auto left,
                   checker.database().integer(fmt::format(
                       "SELECT count(*) FROM {} WHERE rowid = {}", dependent.table, broken.row)));
  return left == 0;
}

std::string remedyFor(const Broken& broken) {
  if (broken.table == "artifact")
    return "put the same artifact again under another name, or restore the index";
  if (dependentOf(broken.table) != nullptr)
    return "run 'vintage fsck --repair', which removes the row where nothing else needs it";
  if (broken.parent == "run")
    return "mirror the run from another archive that has it, or restore index.sqlite from a copy";
  return std::string(kRestoreIndex);
}

Status addBroken(FsckPasses& checker, const Broken& broken) {
  FsckFinding finding{FsckFinding::Kind::kReference,
                      fmt::format("{}, table {}{}", checker.indexPath(), broken.table,
                                  broken.row > 0 ? fmt::format(", row {}", broken.row) : ""),
                      fmt::format("it names a row of {} that is not there", broken.parent)};
  finding.remedy = remedyFor(broken);
  const Dependent* dependent = dependentOf(broken.table);
  if (dependent != nullptr && checker.mayRepair()) {
    ASSIGN_OR_RETURN(const auto removed, remove(checker, *dependent, broken));
    finding.healed = removed;
    finding.remedy = removed
                         ? "healed: the row served only the one that is gone, and was removed"
                         : "not healed: it may be the only copy of content that a record names; " +
                               std::string(kRestoreIndex);
  }
  if (broken.table == "artifact") {
    ASSIGN_OR_RETURN(auto query, checker.database().query(
                                     "SELECT name, producer FROM artifact_record WHERE id = ?"));
    ASSIGN_OR_RETURN(const auto row, query.bind(broken.row).step());
    if (row) finding.affected.push_back(fmt::format("{} ({})", query.text(0), query.text(1)));
  }
  return checker.add(std::move(finding));
}

// Families that cover no artifact's row, or one that another covers too: SQLite knows of no such
// reference.
Status checkFamilies(FsckPasses& checker) {
  ASSIGN_OR_RETURN(
      auto query,
      checker.database().query(
          "SELECT id, span, next FROM (SELECT id, span, lead(id) OVER (ORDER BY id) AS next FROM "
          "family) WHERE span < 1 OR next < id + span"));
  std::vector<FsckFinding> findings;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) break;
    const int64_t span = query.integer(1);
    findings.push_back(
        {FsckFinding::Kind::kReference,
         fmt::format("{}, table family, row {}", checker.indexPath(), query.integer(0)),
         span < 1 ? fmt::format("it covers {} artifacts", span)
                  : fmt::format("row {} begins among the {} artifacts that it covers",
                                query.integer(2), span)});
  }
  query.reset();
  if (findings.empty()) {
    ASSIGN_OR_RETURN(const auto surplus,
                     checker.database().integer("SELECT (SELECT coalesce(sum(span), 0) FROM "
                                                "family) - (SELECT count(*) FROM artifact)"));
    if (surplus > 0)
      findings.push_back({FsckFinding::Kind::kReference,
                          fmt::format("{}, table family", checker.indexPath()),
                          fmt::format("it covers {} artifacts that are not there", surplus)});
  }
  for (FsckFinding& finding : findings) {
    finding.remedy = std::string(kRestoreIndex);
    RETURN_IF_ERROR(checker.add(std::move(finding)));
  }
  return {};
}

}  // namespace

Status checkReferences(FsckPasses& checker) {
  const Status families = checkFamilies(checker);
  if (!families) RETURN_IF_ERROR(checker.addUnreadable("table family", families.error()));
  ASSIGN_OR_RETURN(const auto broken, brokenReferences(checker.database()));
  for (const Broken& found : broken) {
    Status added = addBroken(checker, found);
    if (!added) added = checker.addUnreadable(fmt::format("table {}", found.table), added.error());
    if (!added) return added;
  }
  return {};
}

}  // namespace vintage::archive::integrity

// SQLite's own checks, references, and the tables that serve searching.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage {
namespace {

constexpr int kLongestReport = 50;  // Lines of SQLite's own report.

Result<std::vector<std::string>> integrityProblems(Database& database) {
  auto query = database.query(fmt::format("PRAGMA integrity_check({})", kLongestReport));
  if (!query) return tl::unexpected(query.error());
  std::vector<std::string> problems;
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

Status checkPages(FsckPasses& checker) {
  checker.progress("index", 0, 1);
  auto problems = integrityProblems(checker.database());
  if (!problems) return tl::unexpected(problems.error());
  if (problems->empty()) return {};
  bool healed = false;
  std::string remedy =
      "run 'vintage fsck --repair', which makes SQLite's indexes anew; where that does not help, "
      "restore index.sqlite from a copy, or mirror what is readable into a new archive";
  if (checker.options.repair) {
    // Where the tables are whole and only their indexes are not, this heals.
    const Status made = checker.archive.inTransaction(
        [&] { return checker.database().execute("REINDEX"); });
    const auto again = integrityProblems(checker.database());
    if (!again) return tl::unexpected(again.error());
    healed = made.has_value() && again->empty();
    if (healed)
      remedy = "healed: SQLite's indexes were made anew";
    else
      remedy = "not healed: a table itself is damaged; restore index.sqlite from a copy, or mirror "
               "what is readable into a new archive";
  }
  for (const std::string& problem : *problems) {
    FsckFinding finding{FsckFinding::Kind::kIndex, checker.indexPath(), problem};
    finding.healed = healed;
    finding.remedy = remedy;
    if (Status status = checker.tell(std::move(finding)); !status) return status;
  }
  return {};
}

Status checkReferences(FsckPasses& checker) {
  struct Broken {
    std::string table, parent;
    int64_t row;
    bool operator==(const Broken&) const = default;
  };
  std::vector<Broken> broken;
  {
    auto query = checker.database().query("PRAGMA foreign_key_check");
    if (!query) return tl::unexpected(query.error());
    while (true) {
      const auto row = query->step();
      if (!row && row.error().kind == Error::Kind::kBadInput) return {};  // checkPages told it.
      if (!row) return tl::unexpected(row.error());
      if (!*row) break;
      Broken found{query->text(0), query->text(2), query->integer(1)};
      if (broken.empty() || broken.back() != found) broken.push_back(std::move(found));
    }
  }
  for (const Broken& found : broken) {
    FsckFinding finding{
        FsckFinding::Kind::kReference,
        fmt::format("{}, table {}, row {}", checker.indexPath(), found.table, found.row),
        fmt::format("it names a row of {} that is not there", found.parent)};
    finding.remedy = "put the same artifact again under another name, or restore the index";
    // These rows serve only the one that they name.
    const bool dependent = found.table == "blob_content" || found.table == "lease_content" ||
                           found.table == "hold" || found.table == "run_limitation";
    if (dependent) finding.remedy = "run 'vintage fsck --repair', which removes the row";
    if (dependent && checker.options.repair && found.row > 0) {
      const Status removed = checker.archive.inTransaction([&] {
        return checker.database().execute(
            fmt::format("DELETE FROM {} WHERE rowid = {}", found.table, found.row));
      });
      if (!removed) return removed;
      finding.healed = true;
      finding.remedy = "healed: the row served only the one that is gone, and was removed";
    }
    if (found.table == "artifact") {
      auto query = checker.database().query("SELECT name, producer FROM artifact WHERE id = ?");
      if (!query) return tl::unexpected(query.error());
      const auto row = query->bind(found.row).step();
      if (!row) return tl::unexpected(row.error());
      if (*row)
        finding.affected.push_back(fmt::format("{} ({})", query->text(0), query->text(1)));
    }
    if (Status status = checker.tell(std::move(finding)); !status) return status;
  }
  return {};
}

// The table of terms that a column of the artifacts has.
struct Terms {
  std::string_view table, column;
};
constexpr Terms kTerms[] = {{"artifact_dtype", "dtypes"},
                            {"artifact_platform", "platforms"},
                            {"artifact_target", "targets"}};

Status checkTerms(FsckPasses& checker, const Terms& terms) {
  const std::string missing = fmt::format(
      "FROM artifact AS a, json_each(iif(json_valid(a.{1}), a.{1}, '[]')) AS v WHERE NOT EXISTS "
      "(SELECT 1 FROM {0} AS t WHERE t.term = v.value AND t.build_day = a.build_day AND t.artifact "
      "= a.id)",
      terms.table, terms.column);
  const std::string surplus = fmt::format(
      "FROM {0} AS t WHERE NOT EXISTS (SELECT 1 FROM artifact AS a, "
      "json_each(iif(json_valid(a.{1}), "
      "a.{1}, '[]')) AS v WHERE a.id = t.artifact AND a.build_day = t.build_day AND v.value = "
      "t.term)",
      terms.table, terms.column);
  // One statement, so that both are of one moment.
  auto counts = checker.database().query(
      fmt::format("SELECT (SELECT count(*) {}), (SELECT count(*) {})", missing, surplus));
  if (!counts) return tl::unexpected(counts.error());
  const auto row = counts->step();
  if (!row && row.error().kind == Error::Kind::kBadInput) return {};  // checkPages told it.
  if (!row) return tl::unexpected(row.error());
  const int64_t lacking = counts->integer(0), extra = counts->integer(1);
  counts->reset();
  if (lacking == 0 && extra == 0) return {};
  FsckFinding finding{FsckFinding::Kind::kSearchTerms,
                  fmt::format("{}, table {}", checker.indexPath(), terms.table),
                  fmt::format("{} entries are missing and {} belong to no record: searching by {} "
                              "does not find everything",
                              lacking, extra, terms.column)};
  finding.remedy = "run 'vintage fsck --repair', which makes them anew from the records";
  if (checker.options.repair) {
    const Status made = checker.archive.inTransaction([&] {
      return checker.database().execute(fmt::format(
          "DELETE FROM {0} WHERE (term, build_day, artifact) IN (SELECT t.term, t.build_day, "
          "t.artifact {1}); INSERT OR IGNORE INTO {0} (term, build_day, artifact) SELECT v.value, "
          "a.build_day, a.id {2}",
          terms.table, surplus, missing));
    });
    if (!made) return made;
    finding.healed = true;
    finding.remedy = "healed: made anew from the records";
  }
  return checker.tell(std::move(finding));
}

}  // namespace

Status checkIndex(FsckPasses& checker) {
  if (Status status = checkPages(checker); !status) return status;
  if (Status status = checkReferences(checker); !status) return status;
  for (const Terms& terms : kTerms) {
    if (Status status = checkTerms(checker, terms); !status) return status;
  }
  return {};
}

}  // namespace vintage

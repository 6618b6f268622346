// The tables that serve searching: whether they fit the records.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive::integrity {
namespace {

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
  ASSIGN_OR_RETURN(auto counts,
                   checker.database().query(fmt::format(
                       "SELECT (SELECT count(*) {}), (SELECT count(*) {})", missing, surplus)));
  ASSIGN_OR_RETURN(const auto row, counts.step());
  const int64_t lacking = counts.integer(0), extra = counts.integer(1);
  counts.reset();
  if (lacking == 0 && extra == 0) return {};
  FsckFinding finding{FsckFinding::Kind::kSearchTerms,
                  fmt::format("{}, table {}", checker.indexPath(), terms.table),
                  fmt::format("{} entries are missing and {} belong to no record: a search by {} "
                              "misses artifacts",
                              lacking, extra, terms.column)};
  finding.remedy = "run 'vintage fsck --repair', which rebuilds them from the records";
  if (checker.mayRepair()) {
    const Status made = checker.archive.inTransaction([&] {
      return checker.database().execute(fmt::format(
          "DELETE FROM {0} WHERE (term, build_day, artifact) IN (SELECT t.term, t.build_day, "
          "t.artifact {1}); INSERT OR IGNORE INTO {0} (term, build_day, artifact) SELECT v.value, "
          "a.build_day, a.id {2}",
          terms.table, surplus, missing));
    });
    if (!made) return made;
    finding.healed = true;
    finding.remedy = "healed: rebuilt from the records";
  }
  return checker.add(std::move(finding));
}

}  // namespace

Status checkSearchTerms(FsckPasses& checker) {
  for (const Terms& terms : kTerms) {
    Status checked = checkTerms(checker, terms);
    if (!checked)
      checked = checker.addUnreadable(fmt::format("table {}", terms.table), checked.error());
    if (!checked) return checked;
  }
  return {};
}

}  // namespace vintage::archive::integrity

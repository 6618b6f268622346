// The table that serves searching by the terms of lists: whether it fits the lists.
#include <fmt/format.h>

#include "archive/integrity/fsck_passes.h"

namespace vintage::archive::integrity {
namespace {

constexpr std::string_view kMissing =
    "FROM list AS l, json_each(iif(json_valid(l.texts), l.texts, '[]')) AS v WHERE NOT EXISTS "
    "(SELECT 1 FROM list_term AS t WHERE t.term = v.value AND t.list = l.id)";
constexpr std::string_view kSurplus =
    "FROM list_term AS t WHERE NOT EXISTS (SELECT 1 FROM list AS l, json_each(iif(json_valid("
    "l.texts), l.texts, '[]')) AS v WHERE l.id = t.list AND v.value = t.term)";

Status checkTerms(FsckPasses& checker) {
  // One statement, so that both are of one moment.
  ASSIGN_OR_RETURN(auto counts,
                   checker.database().query(fmt::format(
                       "SELECT (SELECT count(*) {}), (SELECT count(*) {})", kMissing, kSurplus)));
  RETURN_IF_ERROR(counts.step());
  const int64_t lacking = counts.integer(0), extra = counts.integer(1);
  counts.reset();
  if (lacking == 0 && extra == 0) return {};
  FsckFinding finding{FsckFinding::Kind::kSearchTerms,
                      fmt::format("{}, table list_term", checker.indexPath()),
                      fmt::format("{} entries are missing and {} belong to no list: a search by "
                                  "dtypes, platforms or targets misses artifacts",
                                  lacking, extra)};
  finding.remedy = "run 'vintage fsck --repair', which rebuilds them from the lists";
  if (checker.mayRepair()) {
    const Status made = checker.archive.inTransaction([&] {
      return checker.database().execute(fmt::format(
          "DELETE FROM list_term WHERE (term, list) IN (SELECT t.term, t.list {}); INSERT OR "
          "IGNORE INTO list_term (term, list) SELECT v.value, l.id {}",
          kSurplus, kMissing));
    });
    if (!made) return made;
    finding.healed = true;
    finding.remedy = "healed: rebuilt from the lists";
  }
  return checker.add(std::move(finding));
}

}  // namespace

Status checkSearchTerms(FsckPasses& checker) {
  const Status checked = checkTerms(checker);
  return checked ? checked : checker.addUnreadable("table list_term", checked.error());
}

}  // namespace vintage::archive::integrity

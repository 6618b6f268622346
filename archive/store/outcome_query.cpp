// Finding outcomes by a filter.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_store.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"

namespace vintage::archive {
namespace {

// Columns of outcome AS o, and the names of what it refers to.
constexpr std::string_view kColumns =
    "b.hash, o.golden, u.name, o.platform, o.mode, o.run, o.outcome, o.stage, o.detail, o.seconds, "
    "o.limitation";
constexpr std::string_view kNames =
    " CROSS JOIN blob AS b ON b.id = o.blob CROSS JOIN build AS u ON u.id = o.build";
constexpr std::string_view kOrder = "o.run, u.name, b.hash, o.golden, o.platform, o.mode";

// Outcomes of one page, and so many that they are held rather than set aside.
constexpr int64_t kOutcomePage = 512, kFewOutcomes = 4096;

OutcomeRecord outcomeOfColumns(const Query& query) {
  OutcomeRecord outcome;
  outcome.goldenIsFinal = true;
  // There is no list among them, which could be unreadable.
  (void)readRow(query, 0, outcome.artifact, outcome.golden, outcome.build, outcome.platform,
                outcome.mode, outcome.run, outcome.outcome, outcome.stage, outcome.detail,
                outcome.seconds, outcome.limitation);
  return outcome;
}

}  // namespace

std::string isLatestOutcome(std::string_view runs) {
  static const std::string kProbing =
      fmt::format("NOT IN (SELECT id FROM run WHERE kind = '{}')", kProbingRun);
  const std::string counts = runs.empty() ? kProbing : std::string(runs);
  const std::string itself = runs.empty() ? "o.run " + kProbing + " AND " : "";
  return fmt::format(
      "{}NOT EXISTS (SELECT 1 FROM outcome AS later WHERE later.blob = o.blob AND later.golden = "
      "o.golden AND later.build = o.build AND later.platform = o.platform AND later.mode = o.mode "
      "AND later.run > o.run AND later.run {})",
      itself, counts);
}

OutcomeQuery makeOutcomeQuery(const OutcomeFilter& filter) {
  Conditions conditions;
  std::string from = "outcome AS o";
  // The list that is likely to fit the fewest outcomes is left to an index,
  // the others get a plus, which takes them out of SQLite's choice.
  std::string_view plus;
  if (!filter.artifacts.empty()) {
    from = fmt::format(
        "json_each(?) AS wanted CROSS JOIN blob AS wanted_blob ON {} CROSS JOIN outcome AS o ON "
        "o.blob = wanted_blob.id",
        hashIs("wanted_blob.hash", "hash_bytes(wanted.value)"));
    conditions.bindJson(filter.artifacts);
    plus = "+";
  }
  const auto list = [&](std::string_view column, const auto& values,
                        std::string_view among = Conditions::kInList) {
    conditions.in(fmt::format("{}o.{}", plus, column), values, among);
    if (!values.empty()) plus = "+";
  };
  list("run", filter.runs);
  list("build", filter.builds,
       "IN (SELECT id FROM build WHERE name IN (SELECT value FROM json_each(?)))");
  list("outcome", filter.outcomes);  // As numbers.
  list("mode", filter.modes);
  list("platform", filter.platforms);
  if (filter.latestOnly) {
    // Among the runs that are asked for.
    if (!filter.runs.empty()) conditions.bindJson(filter.runs);
    conditions.where(isLatestOutcome(filter.runs.empty() ? "" : Conditions::kInList));
  }
  OutcomeQuery query;
  query.bindings = conditions.bindings();
  const std::string found = fmt::format("FROM {}{}{}", from, kNames, conditions.text());
  query.recordsSql = fmt::format("SELECT {} {} ORDER BY {}", kColumns, found, kOrder);
  query.rowsSql = fmt::format("SELECT row_number() OVER (ORDER BY {}), o.id {}", kOrder, found);
  return query;
}

Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter) {
  const OutcomeQuery wanted = makeOutcomeQuery(filter);
  return selectRows<OutcomeRecord>(database, wanted.recordsSql, outcomeOfColumns, wanted.bindings);
}

Result<std::vector<OutcomeRecord>> Archive::outcomes(const OutcomeFilter& filter) const {
  return findOutcomes(*implementation_->database, filter);
}

Status Archive::forEachOutcome(const OutcomeFilter& filter,
                               const std::function<bool(const OutcomeRecord&)>& visit) const {
  Database& database = *implementation_->database;
  const OutcomeQuery wanted = makeOutcomeQuery(filter);
  ASSIGN_OR_RETURN(auto few,
                   selectRows<OutcomeRecord>(
                       database, fmt::format("{} LIMIT {}", wanted.recordsSql, kFewOutcomes + 1),
                       outcomeOfColumns, wanted.bindings));
  if (few.size() <= static_cast<size_t>(kFewOutcomes)) {
    static_cast<void>(std::ranges::all_of(few, visit));
    return {};
  }
  few.clear();
  static const std::string kSql =
      fmt::format("SELECT {} FROM temp.selection AS s CROSS JOIN outcome AS o ON o.id = s.record{}",
                  kColumns, kNames);
  RETURN_IF_ERROR(visitSetAside<OutcomeRecord>(
      database, wanted.rowsSql, wanted.bindings, kSql, kOutcomePage, outcomeOfColumns,
      [&](const std::vector<OutcomeRecord>& page, int64_t, int64_t) {
        return Result<bool>(std::ranges::all_of(page, visit));
      }));
  return {};
}

}  // namespace vintage::archive

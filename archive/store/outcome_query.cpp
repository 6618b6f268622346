// Finding outcomes by a filter.
#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_store.h"
#include "archive/store/record_tables.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/content_hash.h"

namespace vintage::archive {
namespace {

// Columns of outcome AS o, and the names of what it refers to.
constexpr std::string_view kColumns =
    "b.hash, o.golden, u.name, o.platform, o.mode, o.run, o.outcome, o.stage, o.detail, o.seconds, "
    "o.limitation";
constexpr int kColumnCount = 11;
constexpr std::string_view kNames =
    " CROSS JOIN blob AS b ON b.id = o.blob CROSS JOIN build AS u ON u.id = o.build";
constexpr std::string_view kOrder = "o.run, u.name, b.hash, o.golden, o.platform, o.mode";

// Outcomes of one page, and so many that they are held rather than set aside.
constexpr size_t kOutcomePage = 512, kFewOutcomes = 4096;

OutcomeRecord outcomeOfColumns(const Query& query) {
  OutcomeRecord outcome;
  outcome.artifact = hashText(query.blob(0));
  outcome.golden = hashText(query.blob(1));
  outcome.goldenIsFinal = true;
  // There is no list among them, which could be unreadable.
  (void)readRow(query, 2, outcome.build, outcome.platform, outcome.mode, outcome.run,
                outcome.outcome, outcome.stage, outcome.detail, outcome.seconds,
                outcome.limitation);
  return outcome;
}

class OutcomeQueryBuilder : private Conditions {
 public:
  explicit OutcomeQueryBuilder(const OutcomeFilter& filter) : filter_(filter) {}

  OutcomeQuery build() {
    std::string from = "outcome AS o";
    const bool byArtifact = !filter_.artifacts.empty();
    if (byArtifact) {
      from = fmt::format(
          "json_each(?) AS wanted CROSS JOIN blob AS wanted_blob ON {} CROSS JOIN outcome AS o ON "
          "o.blob = wanted_blob.id",
          hashIs("wanted_blob.hash", "hash_bytes(wanted.value)"));
      bindList(filter_.artifacts);
    }
    // The list that is likely to fit the fewest outcomes is left to an index,
    // the others get a plus, which takes them out of SQLite's choice.
    bool driven = byArtifact;
    const auto list = [&](std::string_view column, const std::vector<std::string>& values) {
      if (values.empty()) return;
      where(fmt::format("{}o.{} {}", driven ? "+" : "", column, kInList));
      bindList(values);
      driven = true;
    };
    list("run", filter_.runs);
    if (!filter_.builds.empty()) {
      where(fmt::format("{}o.build IN (SELECT id FROM build WHERE name {})", driven ? "+" : "",
                        kInList));
      bindList(filter_.builds);
      driven = true;
    }
    if (!filter_.outcomes.empty()) {
      nlohmann::json numbers = nlohmann::json::array();
      for (const OutcomeKind outcome : filter_.outcomes)
        numbers.push_back(static_cast<int>(outcome));
      where(fmt::format("{}o.outcome {}", driven ? "+" : "", kInList));
      bind([text = numbers.dump()](Query& query) { query.bind(text); });
      driven = true;
    }
    list("mode", filter_.modes);
    list("platform", filter_.platforms);
    if (filter_.latestOnly) latestOnly();
    OutcomeQuery query;
    query.bindings = bindings();
    const std::string found = fmt::format("FROM {}{}{}", from, kNames, text());
    query.recordsSql = fmt::format("SELECT {} {} ORDER BY {}", kColumns, found, kOrder);
    query.rowsSql = fmt::format("SELECT row_number() OVER (ORDER BY {}), o.id {}", kOrder, found);
    return query;
  }

 private:
  // Among the runs that are asked for.
  void latestOnly() {
    if (!filter_.runs.empty()) bindList(filter_.runs);
    where(isLatestOutcome(filter_.runs.empty() ? "" : kInList));
  }

  const OutcomeFilter& filter_;
};

struct OutcomePage {
  std::vector<OutcomeRecord> outcomes;
  int64_t lastPosition = 0;  // In a selection.

  // Takes what the query gives next, up to `most`.
  Status fetch(Query& query, size_t most, bool ofSelection = false) {
    while (outcomes.size() < most) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) return {};
      outcomes.push_back(outcomeOfColumns(query));
      if (ofSelection) lastPosition = query.integer(kColumnCount);
    }
    return {};
  }
};

Status visitPages(Database& database, int64_t selection,
                  const std::function<bool(const OutcomeRecord&)>& visit) {
  // What was removed meanwhile is left out.
  static const std::string kSql = fmt::format(
      "SELECT {}, s.position FROM temp.selection AS s CROSS JOIN outcome AS o ON o.id = s.record{} "
      "WHERE s.selection = ? AND s.position > ? ORDER BY s.position LIMIT ?",
      kColumns, kNames);
  for (int64_t position = 0;;) {
    OutcomePage page;
    {
      ASSIGN_OR_RETURN(auto query, database.query(kSql));
      query.bind(selection).bind(position).bind(static_cast<int64_t>(kOutcomePage));
      RETURN_IF_ERROR(page.fetch(query, kOutcomePage, true));
    }
    position = page.lastPosition;
    if (!std::ranges::all_of(page.outcomes, visit) || page.outcomes.size() < kOutcomePage)
      return {};
  }
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
  return OutcomeQueryBuilder(filter).build();
}

Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter) {
  const OutcomeQuery wanted = makeOutcomeQuery(filter);
  ASSIGN_OR_RETURN(auto query, database.query(wanted.recordsSql));
  wanted.bind(query);
  OutcomePage all;
  RETURN_IF_ERROR(all.fetch(query, SIZE_MAX));
  return std::move(all.outcomes);
}

Status visitOutcomes(Database& database, const OutcomeFilter& filter,
                     const std::function<bool(const OutcomeRecord&)>& visit) {
  const OutcomeQuery wanted = makeOutcomeQuery(filter);
  OutcomePage few;
  {
    ASSIGN_OR_RETURN(
        auto query, database.query(wanted.recordsSql + fmt::format(" LIMIT {}", kFewOutcomes + 1)));
    wanted.bind(query);
    RETURN_IF_ERROR(few.fetch(query, kFewOutcomes + 1));
  }
  if (few.outcomes.size() <= kFewOutcomes) {
    static_cast<void>(std::ranges::all_of(few.outcomes, visit));
    return {};
  }
  ASSIGN_OR_RETURN(auto selection, RowSelection::make(database, wanted.rowsSql,
                                                      [&](Query& query) { wanted.bind(query); }));
  const Status visited = visitPages(database, selection.id(), visit);
  const Status removed = selection.remove();
  return visited ? removed : visited;
}

}  // namespace vintage::archive

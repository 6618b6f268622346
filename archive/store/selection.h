// Selecting rows of the index: from a filter to SQL that finds them through an index, and what it
// found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/database.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/store/row_values.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Values for the question marks of a query, in their order.
struct Bindings {
  std::vector<std::variant<int64_t, std::string>> values;
};
inline Query& bindValue(Query& query, const Bindings& bindings) {
  for (const auto& value : bindings.values)
    std::visit([&](const auto& one) { query.bind(one); }, value);
  return query;
}

// The WHERE of a query that is put together from a filter, with what is bound to
// it, in order. Lists are bound as one JSON array each, so that few texts exist
// and stay prepared.
class Conditions {
 public:
  // A column whose value has to be in a bound list.
  static constexpr std::string_view kInList = "IN (SELECT value FROM json_each(?))";

  void where(std::string_view condition) {
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += condition;
  }
  void bindJson(const nlohmann::json& value) { bindings_.values.emplace_back(jsonText(value)); }
  // A list that is empty, and a value that is not there, ask for nothing.
  void in(std::string_view column, const auto& values, std::string_view list = kInList) {
    if (values.empty()) return;
    where(fmt::format("{} {}", column, list));
    bindJson(values);
  }
  template <typename Value>
  void compare(std::string_view comparison, const std::optional<Value>& value) {
    if (!value) return;
    where(fmt::format("{} ?", comparison));
    if constexpr (std::is_same_v<Value, Date>)
      bindings_.values.emplace_back(dayNumber(*value));
    else
      bindings_.values.emplace_back(int64_t{*value});
  }
  // `column` has to be among the rows of a small table that `chosen` says, which are found first.
  void among(std::string_view column, std::string_view table, const Conditions& chosen) {
    where(fmt::format("{} IN (SELECT id FROM {}{})", column, table, chosen.text_));
    const auto& values = chosen.bindings_.values;
    bindings_.values.insert(bindings_.values.end(), values.begin(), values.end());
  }

  // " WHERE a AND b"; empty without conditions.
  const std::string& text() const { return text_; }
  // In the order of the question marks, if what is bound was bound in it.
  const Bindings& bindings() const { return bindings_; }

 private:
  std::string text_;
  Bindings bindings_;
};

// Of an ArtifactFilter. One condition drives the search (the one that is likely to fit the fewest
// artifacts); the others are checked row by row. Values that many artifacts share
// (archive/store/artifact_table.h) are looked up first, in their small table.
struct ArtifactQuery {
  // SELECT of kArtifactColumns (archive/store/artifact_table.h); of id, build_day and
  // name; of how many there are. All with the same bindings.
  std::string recordsSql, rowsSql, countSql;
  Bindings bindings;
  // Whether it may select very many, which are better walked day by day.
  bool streams = false;

  Result<int64_t> count(Database& database) const;
};
// kUsage where an id in the filter is not spelled like one or is too short.
Result<ArtifactQuery> makeArtifactQuery(const ArtifactFilter& filter);

// The range of hashes that begin with `prefix`. kUsage unless it has 4 to 64 hexadecimal digits.
struct HashRange {
  std::vector<std::byte> first, last;
};
Result<HashRange> hashRange(std::string_view prefix);

struct OutcomeQuery {
  // Both in order of (run, build, artifact, golden, platform, mode), with the same
  // bindings: outcomes' columns; (position from 1, row).
  std::string recordsSql, rowsSql;
  Bindings bindings;
};
OutcomeQuery makeOutcomeQuery(const OutcomeFilter& filter);
Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter);

// The kind of outcome AS o. Before kNotComparable had a number it was kCompiled in stage kCompare,
// which nothing else is.
inline constexpr std::string_view kKindOfOutcome =
    "CASE WHEN o.outcome = 7 AND o.stage = 5 THEN 8 ELSE o.outcome END";
// The row of a build; kNotFound names the one that is not kept.
Result<int64_t> rowOfBuild(Database& database, std::string_view build);

// isSuccess() and isFailure() of a row of outcomes ("o"), as conditions.
std::string isSuccessfulOutcome(std::string_view outcome);
std::string isFailedOutcome(std::string_view outcome);
// Columns of outcome AS o, and of blob AS b, that readFields() makes an OutcomeRecord.
std::string outcomeColumns(std::string_view build = "u.name", std::string_view detail = "o.detail");
// The condition that a run counts: one of probes (kProbingRun) does not, nor one that somebody else
// reported.
const std::string& inCountedRun();
// The condition that outcome AS o is the latest that counts of its artifact, golden, build,
// platform and mode. `runs`: a condition on a run; then the latest among those, of any kind.
std::string isLatestOutcome(std::string_view runs = {});

// Sets rows aside in their order, so that their records can be read in pages: nothing of SQLite
// stays open while a caller looks at one, and memory does not grow with them (a large temporary
// table lies on the disk). One connection may have several selections at once.
//
// `orderedRows` selects (position from 1 on, id of a record) and `select` reads the records of
// temp.selection AS s, without those that were removed meanwhile, and `read` makes a Record of each
// row. `visit` gets pages of them, how many rows were read by then, and how many there are. Where
// it returns false that is the end, and the result.
template <typename Record, typename Read, typename Visit>
Result<bool> visitSetAside(Database& database, const std::string& orderedRows,
                           const Bindings& bindings, std::string_view select, int64_t rows,
                           const Read& read, const Visit& visit) {
  const std::string sql = fmt::format(
      "{} WHERE s.selection = ? AND s.position BETWEEN ? AND ? ORDER BY s.position", select);
  RETURN_IF_ERROR(database.execute(
      "CREATE TEMP TABLE IF NOT EXISTS selection (selection INTEGER NOT NULL, position INTEGER "
      "NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (selection, position)) WITHOUT ROWID"));
  ASSIGN_OR_RETURN(const auto last,
                   database.integer("SELECT coalesce(max(selection), 0) FROM temp.selection"));
  const int64_t selection = last + 1;
  RETURN_IF_ERROR(runWith(database,
                          "INSERT INTO temp.selection SELECT ?, * FROM (" + orderedRows + ")",
                          selection, bindings));
  const int64_t count = database.changes();
  const auto walk = [&]() -> Result<bool> {
    for (int64_t end = 0; end < count;) {
      const int64_t first = end + 1;
      end = std::min(end + rows, count);
      ASSIGN_OR_RETURN(auto page, selectRows<Record>(database, sql, read, selection, first, end));
      ASSIGN_OR_RETURN(const bool goOn, visit(page, end, count));
      if (!goOn) return false;
    }
    return true;
  };
  auto walked = walk();
  const Status removed =
      runWith(database, "DELETE FROM temp.selection WHERE selection = ?", selection);
  if (walked && !removed) return tl::unexpected(removed.error());
  return walked;
}

}  // namespace vintage::archive

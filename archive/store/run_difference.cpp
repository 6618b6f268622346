#include "archive/store/run_difference.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive_implementation.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// Outcome o after, was before: of the run and build that are bound twice.
const std::string& bothSql() {
  static const std::string kSql =
      "FROM outcome AS was CROSS JOIN outcome AS o ON o.blob = was.blob AND o.golden = was.golden "
      "AND o.build = ? AND o.platform = was.platform AND o.mode = was.mode AND o.run = ? "
      "CROSS JOIN build AS u ON u.id = o.build CROSS JOIN blob AS b ON b.id = o.blob "
      "WHERE was.run = ? AND +was.build = ?";
  return kSql;
}
const std::string kBreaks = fmt::format("({} AND {} AND o.limitation = '')",
                                        isSuccessfulOutcome("was"), isFailedOutcome("o"));
const std::string kMends =
    fmt::format("({} AND {})", isFailedOutcome("was"), isSuccessfulOutcome("o"));

// The newest artifact with the outcome's content names it.
constexpr std::string_view kNameOf =
    "coalesce((SELECT a.{0} FROM artifact_record AS a WHERE a.blob = o.blob ORDER BY a.id DESC "
    "LIMIT 1), '')";

Result<int64_t> countOf(Database& database, const std::string& run, int64_t build) {
  ASSIGN_OR_RETURN(
      const auto count,
      firstInteger(database, "SELECT count(*) FROM outcome WHERE run = ? AND +build = ?", run,
                   build));
  return count.value_or(0);
}

}  // namespace

Result<std::vector<std::string>> buildsOfRun(const Archive& archive, const std::string& run) {
  return selectRows<std::string>(
      indexOf(archive),
      "SELECT name FROM build WHERE id IN (SELECT build FROM outcome WHERE run = ?) ORDER BY name",
      [](const Query& row) { return row.text(0); }, run);
}

Result<RunDifference> compareOutcomesOf(const Archive& archive, const RunOnBuild& before,
                                        const RunOnBuild& after, int64_t most) {
  Database& database = indexOf(archive);
  ASSIGN_OR_RETURN(const auto oldBuild, rowOfBuild(database, before.build));
  ASSIGN_OR_RETURN(const auto newBuild, rowOfBuild(database, after.build));
  RunDifference difference;
  ASSIGN_OR_RETURN(const auto inOld, countOf(database, before.run, oldBuild));
  ASSIGN_OR_RETURN(const auto inNew, countOf(database, after.run, newBuild));
  static const std::string kCount = fmt::format(
      "SELECT count(*), coalesce(sum({}), 0), coalesce(sum({}), 0) {}", kBreaks, kMends, bothSql());
  RETURN_IF_ERROR(firstRow(database, kCount,
                           std::tie(difference.both, difference.broken, difference.mended),
                           newBuild, after.run, before.run, oldBuild));
  difference.onlyBefore = inOld - difference.both;
  difference.onlyAfter = inNew - difference.both;
  static const std::string kList = fmt::format(
      "SELECT {}, {}, was.outcome, was.stage, was.detail, was.limitation, {} {} AND ({} OR {}) "
      "ORDER BY {} DESC, 1, b.hash, o.golden, o.platform, o.mode LIMIT ?",
      fmt::format(kNameOf, "name"), fmt::format(kNameOf, "producer"), outcomeColumns(), bothSql(),
      kBreaks, kMends, kBreaks);
  const auto read = [&](const Query& row) -> Result<ChangedPair> {
    ChangedPair pair;
    OutcomeRecord was;
    RETURN_IF_ERROR(readRow(row, 0, pair.name, pair.producer, was.outcome, was.stage, was.detail,
                            was.limitation));
    RETURN_IF_ERROR(readFields(row, pair.after, 6));
    pair.before = pair.after;
    pair.before.run = before.run;
    pair.before.build = before.build;
    pair.before.outcome = was.outcome;
    pair.before.stage = was.stage;
    pair.before.detail = was.detail;
    pair.before.limitation = was.limitation;
    return pair;
  };
  ASSIGN_OR_RETURN(difference.changes,
                   selectRows<ChangedPair>(database, kList, read, newBuild, after.run, before.run,
                                           oldBuild, most));
  return difference;
}

Result<std::vector<FailureGroup>> failuresOfRun(const Archive& archive, const std::string& run,
                                                int64_t most) {
  // SQLite takes the other columns of a group from the row that has its minimum.
  static const std::string kSql = fmt::format(
      "SELECT coalesce((SELECT min(a.primitive) FROM artifact_record AS a WHERE a.blob = o.blob), "
      "'') AS primitive, count(*), min({}), {} FROM outcome AS o CROSS JOIN blob AS b ON b.id = "
      "o.blob CROSS JOIN build AS u ON u.id = o.build WHERE o.run = ? AND {} AND o.limitation "
      "= '' GROUP BY primitive, o.build ORDER BY 2 DESC, 1, u.name LIMIT ?",
      fmt::format(kNameOf, "name"), outcomeColumns(), isFailedOutcome("o"));
  const auto read = [](const Query& row) -> Result<FailureGroup> {
    FailureGroup group;
    RETURN_IF_ERROR(readRow(row, 0, group.primitive, group.failures, group.artifact));
    RETURN_IF_ERROR(readFields(row, group.example, 3));
    return group;
  };
  return selectRows<FailureGroup>(indexOf(archive), kSql, read, run, most);
}

Result<std::string> failsSince(const Archive& archive, const OutcomeRecord& outcome,
                               std::span<const std::string> builds) {
  constexpr std::string_view kOfPair =
      "FROM outcome AS {0} WHERE {0}.blob = (SELECT id FROM blob WHERE hash = ?1) AND {0}.golden = "
      "?2 AND {0}.build IN (SELECT id FROM build WHERE name IN (SELECT value FROM json_each(?3))) "
      "AND {0}.platform = ?4 AND {0}.mode = ?5 AND {0}.run <= ?6 AND {0}.run {1}";
  static const std::string kSql = fmt::format(
      "SELECT min(o.run) {} AND {} AND o.run > (SELECT coalesce(max(good.run), '') {} AND {})",
      fmt::format(kOfPair, "o", inCountedRun()), isFailedOutcome("o"),
      fmt::format(kOfPair, "good", inCountedRun()), isSuccessfulOutcome("good"));
  std::optional<std::string> run;
  RETURN_IF_ERROR(firstRow(indexOf(archive), kSql, std::tie(run), hashBytes(outcome.artifact),
                           hashBytes(outcome.golden), nlohmann::json(builds).dump(),
                           outcome.platform, outcome.mode, outcome.run));
  return run.value_or(outcome.run);
}

}  // namespace vintage::archive

// The index's rows of outcomes: put, and found by a filter.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "archive/store/archive_implementation.h"
#include "archive/store/blob_store.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "archive/store/row_values.h"
#include "archive/store/selection.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// The golden of the only artifact with these bytes; empty where there are
// several goldens, or none.
Result<ContentId> onlyGolden(Database& database, int64_t blob) {
  const auto read = [](const Query& row) { return hashText(row.blob(0)); };
  ASSIGN_OR_RETURN(const auto goldens, selectRows<ContentId>(database, R"(
      SELECT DISTINCT g.hash FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden
      WHERE a.blob = ? LIMIT 2)",
                                                             read, blob));
  return goldens.size() == 1 ? goldens.front() : ContentId();
}

// The key of an outcome's row.
constexpr std::string_view kOutcomeKey = "blob, golden, build, platform, mode, run";
constexpr std::string_view kNames =
    " CROSS JOIN blob AS b ON b.id = o.blob CROSS JOIN build AS u ON u.id = o.build";

Result<OutcomeRecord> outcomeOfColumns(const Query& query) {
  OutcomeRecord outcome;
  outcome.goldenIsFinal = true;
  RETURN_IF_ERROR(readFields(query, outcome));
  return outcome;
}

// The values of the outcome's row, which names content and build by theirs.
Status writeOutcomeRow(Database& database, std::string_view sql, const OutcomeRecord& outcome,
                       const ContentId& golden, int64_t blob, int64_t build) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  const auto bind = [&](const RecordField& field, const auto& value) {
    const std::string_view column = field.column;
    if (column == "blob")
      query.bind(blob);
    else if (column == "golden")
      query.bindBlob(hashBytes(golden));
    else if (column == "build")
      query.bind(build);
    else
      bindValue(query, value);
  };
  visitFields(outcome, bind);
  return query.run();
}

// Its row is there.
Status replaceOutcome(Database& database, const OutcomeRecord& outcome, int64_t blob, int64_t build,
                      const Author& author) {
  static const std::string kKept = fmt::format(
      "SELECT {} FROM outcome AS o{} WHERE o.blob = ? AND o.golden = ? AND o.build = ? AND "
      "o.platform = ? AND o.mode = ? AND o.run = ?",
      outcomeColumns(), kNames);
  ASSIGN_OR_RETURN(
      auto found,
      selectRows<OutcomeRecord>(database, kKept, outcomeOfColumns, blob, hashBytes(outcome.golden),
                                build, outcome.platform, outcome.mode, outcome.run));
  if (found.empty())
    return badInput("{}: the index of outcomes contradicts their table; run 'vintage fsck'",
                    database.path());
  OutcomeRecord& kept = found.front();
  kept.goldenIsFinal = outcome.goldenIsFinal;
  const auto before = recordJson(kept), after = recordJson(outcome);
  if (before == after) return {};
  const std::string subject =
      fmt::format("the outcome of {:.12} on '{}', {}, {}, in run '{}'", outcome.artifact,
                  outcome.build, outcome.platform, outcome.mode, outcome.run.substr(0, 80));
  if (!author.mayReplace)
    return conflict(
        "{} is kept already, and differs; {} may add, and replaces nothing: record it in another "
        "run, or let an admin replace it",
        subject, author.name);
  RETURN_IF_ERROR(noteChange(database, author, "outcome replaced", subject, before, after));
  static const std::string kPut = replaceFields<OutcomeRecord>("outcome", kOutcomeKey);
  return writeOutcomeRow(database, kPut, outcome, outcome.golden, blob, build);
}

// Whether the author may add outcomes to the run. One that is not known yet gets an empty record.
Result<bool> beginOutcomesOf(Database& database, const std::string& run, const Author& author) {
  RETURN_IF_ERROR(runWith(database, R"(
      INSERT OR IGNORE INTO run (id, kind, command_line, started, finished, reporter)
      VALUES (?, '', '', '', '', ?))",
                          run, author.reporter));
  if (author.reporter.empty()) return true;
  ASSIGN_OR_RETURN(const auto own,
                   firstInteger(database, "SELECT count(*) FROM run WHERE id = ? AND reporter = ?",
                                run, author.reporter));
  return own.value_or(0) > 0;
}

// The rows of builds that outcomes named already; most of a run name one.
using KnownBuilds = std::map<std::string_view, int64_t>;

Result<int64_t> rowOfBuild(Database& database, const OutcomeRecord& outcome, KnownBuilds& known) {
  if (const auto found = known.find(outcome.build); found != known.end()) return found->second;
  ASSIGN_OR_RETURN(const auto row,
                   firstInteger(database, "SELECT id FROM build WHERE name = ?", outcome.build));
  if (!row)
    return notFound("{}: an outcome names build '{}', which is not kept; put it first",
                    database.path(), outcome.build);
  known.emplace(outcome.build, *row);
  return *row;
}

tl::unexpected<Error> notItsRun(const Author& author, const OutcomeRecord& outcome) {
  return conflict(
      "run '{}' is somebody else's; {} adds no outcome to it: record the outcomes in another run",
      outcome.run.substr(0, 80), author.name);
}

// Unless the author `mayAdd` to the outcome's run, the same has to be kept.
Status putOutcomeRow(Database& database, const OutcomeRecord& outcome, const Author& author,
                     bool mayAdd, KnownBuilds& builds) {
  constexpr size_t kShownOfId = 80;
  if (!isContentHash(outcome.artifact) ||
      (!outcome.golden.empty() && !isContentHash(outcome.golden)) || outcome.run.empty())
    return usageError(
        "an outcome of artifact '{}', golden '{}', run '{}': it needs the artifact's and the "
        "golden's whole ids and a run",
        outcome.artifact.substr(0, kShownOfId), outcome.golden.substr(0, kShownOfId),
        outcome.run.substr(0, kShownOfId));
  RETURN_IF_ERROR(checkLimits(outcome));
  static const std::string kBlobOfArtifact =
      "SELECT b.id FROM blob AS b WHERE " + hashIs("b.hash") +
      " AND EXISTS (SELECT 1 FROM artifact AS a WHERE a.blob = b.id)";
  ASSIGN_OR_RETURN(const auto blob,
                   firstInteger(database, kBlobOfArtifact, hashBytes(outcome.artifact)));
  if (!blob)
    return notFound("{}: an outcome names artifact {}, which is not kept; put it first",
                    database.path(), outcome.artifact);
  ASSIGN_OR_RETURN(const auto build, rowOfBuild(database, outcome, builds));
  ContentId golden = outcome.golden;
  if (golden.empty() && !outcome.goldenIsFinal) {
    ASSIGN_OR_RETURN(golden, onlyGolden(database, *blob));
  }
  static const std::string kPut = fmt::format("{} ON CONFLICT ({}) DO NOTHING",
                                              insertFields<OutcomeRecord>("outcome"), kOutcomeKey);
  RETURN_IF_ERROR(writeOutcomeRow(database, kPut, outcome, golden, *blob, build));
  if (database.changes() > 0) return mayAdd ? Status() : notItsRun(author, outcome);
  OutcomeRecord replacement = outcome;
  replacement.golden = std::move(golden);
  return replaceOutcome(database, replacement, *blob, build, author);
}

constexpr std::string_view kOrder = "o.run, u.name, b.hash, o.golden, o.platform, o.mode";

// Outcomes of one page, and so many that they are held rather than set aside.
constexpr int64_t kOutcomePage = 512, kFewOutcomes = 4096;

}  // namespace

Status Archive::putOutcomes(std::span<const OutcomeRecord> outcomes) {
  return implementation_->inTransaction([&]() -> Status {
    Database& database = *implementation_->database;
    const Author author = implementation_->author();
    std::map<std::string_view, bool> mayAdd;  // By run.
    KnownBuilds builds;
    for (const OutcomeRecord& outcome : outcomes) {
      const auto [place, isNew] = mayAdd.try_emplace(outcome.run, true);
      if (isNew) {
        ASSIGN_OR_RETURN(place->second, beginOutcomesOf(database, outcome.run, author));
      }
      RETURN_IF_ERROR(putOutcomeRow(database, outcome, author, place->second, builds));
    }
    return {};
  });
}

std::string outcomeColumns(std::string_view build, std::string_view detail) {
  std::vector<std::string> columns = columnsOf<OutcomeRecord>();
  const std::map<std::string_view, std::string_view> others{
      {"blob", "b.hash"}, {"build", build}, {"detail", detail}, {"outcome", kKindOfOutcome}};
  for (std::string& column : columns) {
    const auto other = others.find(column);
    column = other != others.end() ? std::string(other->second) : "o." + column;
  }
  return fmt::format("{}", fmt::join(columns, ", "));
}

Result<int64_t> rowOfBuild(Database& database, std::string_view build) {
  ASSIGN_OR_RETURN(const auto row,
                   firstInteger(database, "SELECT id FROM build WHERE name = ?", build));
  if (!row) return notFound("{}: there is no build '{}'", database.path(), build.substr(0, 200));
  return *row;
}

std::string isSuccessfulOutcome(std::string_view outcome) {
  return fmt::format("{}.outcome IN ({}, {})", outcome, static_cast<int>(OutcomeKind::kPass),
                     static_cast<int>(OutcomeKind::kCompiled));
}

std::string isFailedOutcome(std::string_view outcome) {
  return fmt::format("({}.outcome NOT IN ({}, {}, {}))", outcome,
                     static_cast<int>(OutcomeKind::kPass), static_cast<int>(OutcomeKind::kCompiled),
                     static_cast<int>(OutcomeKind::kNotComparable));
}

constexpr std::string_view kReportedRuns = "SELECT id FROM run WHERE reporter > ''";

const std::string& inCountedRun() {
  static const std::string kCondition = fmt::format(
      "NOT IN (SELECT id FROM run WHERE kind = '{}' UNION ALL {})", kProbingRun, kReportedRuns);
  return kCondition;
}

std::string isLatestOutcome(std::string_view runs) {
  const std::string counts(runs.empty() ? std::string_view(inCountedRun()) : runs);
  const std::string itself = runs.empty() ? fmt::format("o.run {} AND ", inCountedRun()) : "";
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
  auto outcomes = filter.outcomes;  // As numbers.
  if (lists(outcomes, OutcomeKind::kNotComparable)) outcomes.push_back(OutcomeKind::kCompiled);
  list("outcome", outcomes);
  if (lists(outcomes, OutcomeKind::kCompiled)) conditions.in(kKindOfOutcome, filter.outcomes);
  list("mode", filter.modes);
  list("platform", filter.platforms);
  if (filter.ownOnly) conditions.where(fmt::format("+o.run NOT IN ({})", kReportedRuns));
  if (filter.latestOnly) {
    // Among the runs that are asked for.
    if (!filter.runs.empty()) conditions.bindJson(filter.runs);
    conditions.where(isLatestOutcome(filter.runs.empty() ? "" : Conditions::kInList));
  }
  OutcomeQuery query;
  query.bindings = conditions.bindings();
  const std::string found = fmt::format("FROM {}{}{}", from, kNames, conditions.text());
  query.recordsSql = fmt::format("SELECT {} {} ORDER BY {}", outcomeColumns(), found, kOrder);
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
                  outcomeColumns(), kNames);
  RETURN_IF_ERROR(visitSetAside<OutcomeRecord>(
      database, wanted.rowsSql, wanted.bindings, kSql, kOutcomePage, outcomeOfColumns,
      [&](const std::vector<OutcomeRecord>& page, int64_t, int64_t) {
        return Result<bool>(std::ranges::all_of(page, visit));
      }));
  return {};
}

}  // namespace vintage::archive

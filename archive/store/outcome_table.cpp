#include "archive/store/record_tables.h"

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "archive/store/blob_store.h"
#include "archive/store/record_json.h"
#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

template <typename Value>
Result<std::optional<int64_t>> lookUp(Database& database, std::string_view sql,
                                      const Value& value) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  ASSIGN_OR_RETURN(const auto found, bindRow(query, value).step());
  if (!found) return std::nullopt;
  return query.integer(0);
}

// The golden of the only artifact with these bytes; empty where there are
// several goldens, or none.
Result<ContentId> onlyGolden(Database& database, int64_t blob) {
  ASSIGN_OR_RETURN(auto query, database.query(R"(
      SELECT DISTINCT g.hash FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden
      WHERE a.blob = ? LIMIT 2)"));
  auto row = query.bind(blob).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return ContentId();
  const ContentId golden = hashText(query.blob(0));
  row = query.step();
  if (!row) return tl::unexpected(row.error());
  return *row ? ContentId() : golden;
}

// A run that is not known yet gets an empty record.
Status knowRun(Database& database, const std::string& run) {
  return runWith(database, R"(
      INSERT OR IGNORE INTO run (id, kind, command_line, started, finished)
      VALUES (?, '', '', '', ''))",
                 run);
}

// The row that the outcome would replace; it is there.
Status replaceOutcome(Database& database, const OutcomeRecord& outcome, int64_t blob, int64_t build,
                      const Author& author) {
  OutcomeRecord kept = outcome;
  int64_t row = 0;
  {
    ASSIGN_OR_RETURN(auto query, database.query(R"(
        SELECT id, outcome, stage, detail, seconds, limitation FROM outcome WHERE blob = ? AND
          golden = ? AND build = ? AND platform = ? AND mode = ? AND run = ?)"));
    bindRow(query, blob, hashBytes(outcome.golden), build, outcome.platform, outcome.mode,
            outcome.run);
    ASSIGN_OR_RETURN(const auto found, query.step());
    if (!found)
      return failure(Error::Kind::kBadInput,
                     database.path() +
                         ": the index of outcomes contradicts their table; run "
                         "'vintage fsck'");
    RETURN_IF_ERROR(readRow(query, 0, row, kept.outcome, kept.stage, kept.detail, kept.seconds,
                            kept.limitation));
  }
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
  return runWith(database, R"(
      UPDATE outcome SET outcome = ?, stage = ?, detail = ?, seconds = ?, limitation = ?
      WHERE id = ?)",
                 outcome.outcome, outcome.stage, outcome.detail, outcome.seconds,
                 outcome.limitation, row);
}

// The rows of builds that outcomes named already; most of a run name one.
using KnownBuilds = std::map<std::string_view, int64_t>;

Result<int64_t> rowOfBuild(Database& database, const OutcomeRecord& outcome, KnownBuilds& known) {
  if (const auto found = known.find(outcome.build); found != known.end()) return found->second;
  ASSIGN_OR_RETURN(const auto row,
                   lookUp(database, "SELECT id FROM build WHERE name = ?", outcome.build));
  if (!row)
    return notFound("{}: an outcome names build '{}', which is not kept; put it first",
                    database.path(), outcome.build);
  known.emplace(outcome.build, *row);
  return *row;
}

Status putOutcomeRow(Database& database, const OutcomeRecord& outcome, const Author& author,
                     KnownBuilds& builds) {
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
  ASSIGN_OR_RETURN(const auto blob, lookUp(database, kBlobOfArtifact, hashBytes(outcome.artifact)));
  if (!blob)
    return notFound("{}: an outcome names artifact {}, which is not kept; put it first",
                    database.path(), outcome.artifact);
  ASSIGN_OR_RETURN(const auto build, rowOfBuild(database, outcome, builds));
  ContentId golden = outcome.golden;
  if (golden.empty() && !outcome.goldenIsFinal) {
    ASSIGN_OR_RETURN(golden, onlyGolden(database, *blob));
  }
  RETURN_IF_ERROR(runWith(database, R"(
      INSERT INTO outcome (blob, golden, build, platform, mode, run, outcome, stage, detail,
        seconds, limitation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (blob, golden, build, platform, mode, run) DO NOTHING)",
                          *blob, hashBytes(golden), build, outcome.platform, outcome.mode,
                          outcome.run, outcome.outcome, outcome.stage, outcome.detail,
                          outcome.seconds, outcome.limitation));
  if (database.changes() > 0) return {};
  OutcomeRecord replacement = outcome;
  replacement.golden = std::move(golden);
  return replaceOutcome(database, replacement, *blob, build, author);
}

}  // namespace

Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes,
                      const Author& author) {
  std::set<std::string_view> runs;
  KnownBuilds builds;
  for (const OutcomeRecord& outcome : outcomes) {
    if (runs.insert(outcome.run).second) RETURN_IF_ERROR(knowRun(database, outcome.run));
    RETURN_IF_ERROR(putOutcomeRow(database, outcome, author, builds));
  }
  return {};
}

}  // namespace vintage::archive

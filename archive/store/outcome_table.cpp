#include "archive/store/record_tables.h"

#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "archive/store/blob_store.h"
#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"

namespace vintage::archive::store {
namespace {

Result<std::optional<int64_t>> lookUp(Database& database, std::string_view sql,
                                      const std::function<void(Query&)>& bind) {
  ASSIGN_OR_RETURN(auto query, database.query(sql));
  bind(query);
  ASSIGN_OR_RETURN(const auto found, query.step());
  if (!found) return std::nullopt;
  return query.integer(0);
}

// The golden of the only artifact with these bytes; empty where there are
// several goldens, or none.
Result<ContentId> onlyGolden(Database& database, int64_t blob) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "SELECT DISTINCT g.hash FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden "
          "WHERE a.blob = ? LIMIT 2"));
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
  ASSIGN_OR_RETURN(
      auto query,
      database.query("INSERT OR IGNORE INTO run (id, kind, command_line, started, finished) "
                     "VALUES (?, '', '', '', '')"));
  return query.bind(run).run();
}

Status putOutcomeRow(Database& database, const OutcomeRecord& outcome) {
  constexpr size_t kShownOfId = 80;
  if (!isContentHash(outcome.artifact) ||
      (!outcome.golden.empty() && !isContentHash(outcome.golden)) || outcome.run.empty())
    return failure(Error::Kind::kUsage,
                   fmt::format("an outcome of artifact '{}', golden '{}', run '{}': it needs the "
                               "artifact's and the golden's whole ids and a run",
                               outcome.artifact.substr(0, kShownOfId),
                               outcome.golden.substr(0, kShownOfId),
                               outcome.run.substr(0, kShownOfId)));
  RETURN_IF_ERROR(checkLimits(outcome));
  ASSIGN_OR_RETURN(const auto blob,
                   lookUp(database,
                          "SELECT b.id FROM blob AS b WHERE b.hash = ? AND EXISTS (SELECT 1 FROM "
                          "artifact AS a WHERE a.blob = b.id)",
                          [&](Query& query) { query.bindBlob(hashBytes(outcome.artifact)); }));
  if (!blob)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: an outcome names artifact {}, which is not kept; put it first",
                               database.path(), outcome.artifact));
  ASSIGN_OR_RETURN(const auto build, lookUp(database, "SELECT id FROM build WHERE name = ?",
                                            [&](Query& query) { query.bind(outcome.build); }));
  if (!build)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: an outcome names build '{}', which is not kept; put it first",
                               database.path(), outcome.build));
  ContentId golden = outcome.golden;
  if (golden.empty() && !outcome.goldenIsFinal) {
    ASSIGN_OR_RETURN(auto only, onlyGolden(database, *blob));
    golden = std::move(only);
  }
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "INSERT INTO outcome (blob, golden, build, platform, mode, run, outcome, stage, detail, "
          "seconds, limitation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (blob, golden, build, platform, mode, run) DO UPDATE SET "
          "outcome = excluded.outcome, stage = excluded.stage, detail = excluded.detail, "
          "seconds = excluded.seconds, limitation = excluded.limitation"));
  return query.bind(*blob)
      .bindBlob(hashBytes(golden))
      .bind(*build)
      .bind(outcome.platform)
      .bind(outcome.mode)
      .bind(outcome.run)
      .bind(static_cast<int>(outcome.outcome))
      .bind(static_cast<int>(outcome.stage))
      .bind(outcome.detail)
      .bind(outcome.seconds)
      .bind(outcome.limitation)
      .run();
}

}  // namespace

Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes) {
  std::set<std::string_view> runs;
  for (const OutcomeRecord& outcome : outcomes) {
    if (runs.insert(outcome.run).second) RETURN_IF_ERROR(knowRun(database, outcome.run));
    RETURN_IF_ERROR(putOutcomeRow(database, outcome));
  }
  return {};
}

}  // namespace vintage::archive::store

#include "archive/store/record_tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/blob_codec.h"
#include "archive/store/outside_json.h"
#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"

namespace vintage::archive::store {
namespace {

Status putLimitation(Database& database, const std::string& run,
                     const RecordedLimitation& limitation) {
  RETURN_IF_ERROR(checkLimits(limitation));
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "INSERT INTO run_limitation (run, id, primitive, dtypes, platforms, modes, variants, "
          "description, issue, since, until, skip_run) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
          "ON CONFLICT DO NOTHING"));
  query.bind(run)
      .bind(limitation.id)
      .bind(limitation.primitive)
      .bind(listText(limitation.dtypes))
      .bind(listText(limitation.platforms))
      .bind(listText(limitation.modes))
      .bind(listText(limitation.variants))
      .bind(limitation.description)
      .bind(limitation.issue)
      .bind(limitation.since);
  if (limitation.until)
    query.bind(*limitation.until);
  else
    query.bindNull();
  RETURN_IF_ERROR(query.bind(limitation.skipRun ? 1 : 0).run());
  if (database.changes() == 0)
    return failure(Error::Kind::kConflict,
                   fmt::format("two limitations have the id '{}'; ids have to be unique",
                               limitation.id));
  return {};
}

// None where it is empty.
Status putVerdict(Database& database, std::string_view run, std::string_view verdict) {
  if (verdict.empty()) {
    ASSIGN_OR_RETURN(auto remove, database.query("DELETE FROM run_verdict WHERE run = ?"));
    return remove.bind(run).run();
  }
  if (!fitsJsonDepth(verdict) || !nlohmann::json::accept(verdict))
    return failure(Error::Kind::kUsage,
                   fmt::format("a run's verdict has to be JSON of at most {} levels",
                               kDeepestJson));
  ASSIGN_OR_RETURN(const auto packed, encodeBlob(std::as_bytes(std::span(verdict))));
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "INSERT INTO run_verdict (run, bytes, codec, verdict) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (run) DO UPDATE SET bytes = excluded.bytes, codec = excluded.codec, "
          "verdict = excluded.verdict"));
  return query.bind(run)
      .bind(static_cast<int64_t>(verdict.size()))
      .bind(static_cast<int>(packed.codec))
      .bindBlob(packed.bytes)
      .run();
}

RunRecord runOfRow(Query& query) {
  RunRecord run;
  run.id = query.text(0);
  run.kind = query.text(1);
  run.commandLine = query.text(2);
  run.started = query.text(3);
  run.finished = query.text(4);
  return run;
}

}  // namespace

Status putRunRow(Database& database, const RunRecord& run,
                 std::span<const RecordedLimitation> limitations) {
  RETURN_IF_ERROR(checkLimits(run));
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "INSERT INTO run (id, kind, command_line, started, finished) VALUES (?, ?, ?, ?, ?) "
          "ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, command_line = "
          "excluded.command_line, started = excluded.started, finished = excluded.finished"));
  query.bind(run.id).bind(run.kind).bind(run.commandLine).bind(run.started).bind(run.finished);
  RETURN_IF_ERROR(query.run());
  RETURN_IF_ERROR(putVerdict(database, run.id, run.verdict));
  ASSIGN_OR_RETURN(auto remove, database.query("DELETE FROM run_limitation WHERE run = ?"));
  RETURN_IF_ERROR(remove.bind(run.id).run());
  for (const RecordedLimitation& limitation : limitations) {
    RETURN_IF_ERROR(putLimitation(database, run.id, limitation));
  }
  return {};
}

Status finishRunRow(Database& database, std::string_view run, std::string_view finished,
                    std::string_view verdict) {
  ASSIGN_OR_RETURN(auto query, database.query("UPDATE run SET finished = ? WHERE id = ?"));
  RETURN_IF_ERROR(query.bind(finished).bind(run).run());
  if (database.changes() == 0)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: there is no run '{}'; begin it with putRun", database.path(),
                               run));
  return putVerdict(database, run, verdict);
}

Result<RunRecord> findRun(Database& database, std::string_view run) {
  ASSIGN_OR_RETURN(
      auto query,
      database.query(
          "SELECT id, kind, command_line, started, finished, verdict, codec, bytes FROM run "
          "LEFT JOIN run_verdict ON run_verdict.run = run.id WHERE id = ?"));
  ASSIGN_OR_RETURN(const auto row, query.bind(run).step());
  if (!row)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: there is no run '{}'", database.path(), run.substr(0, 80)));
  RunRecord found = runOfRow(query);
  if (query.isNull(5)) return found;
  const auto verdict =
      decodeBlob(query.integer(6), query.blob(5), static_cast<uint64_t>(query.integer(7)));
  if (!verdict) return within("the verdict of run " + found.id, verdict.error());
  found.verdict.assign(reinterpret_cast<const char*>(verdict->data()), verdict->size());
  return found;
}

Result<std::vector<RunRecord>> allRuns(Database& database) {
  auto query =
      database.query("SELECT id, kind, command_line, started, finished FROM run ORDER BY id");
  if (!query) return tl::unexpected(query.error());
  std::vector<RunRecord> runs;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query->step());
    if (!row) return runs;
    runs.push_back(runOfRow(*query));
  }
}

Result<std::vector<RecordedLimitation>> limitationsOfRun(Database& database, std::string_view run) {
  ASSIGN_OR_RETURN(auto query,
                   database.query("SELECT id, primitive, dtypes, platforms, modes, variants, "
                                  "description, issue, since, until, "
                                  "skip_run FROM run_limitation WHERE run = ? ORDER BY id"));
  query.bind(run);
  std::vector<RecordedLimitation> limitations;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return limitations;
    RecordedLimitation limitation;
    limitation.id = query.text(0);
    limitation.primitive = query.text(1);
    limitation.description = query.text(6);
    limitation.issue = query.text(7);
    limitation.since = query.text(8);
    if (!query.isNull(9)) limitation.until = query.text(9);
    limitation.skipRun = query.integer(10) != 0;
    const std::pair<int, std::vector<std::string>*> lists[] = {{2, &limitation.dtypes},
                                                               {3, &limitation.platforms},
                                                               {4, &limitation.modes},
                                                               {5, &limitation.variants}};
    for (const auto& [column, list] : lists) {
      auto values = parseList(query.text(column));
      if (!values) return within(limitation.id, values.error());
      *list = std::move(*values);
    }
    limitations.push_back(std::move(limitation));
  }
}

}  // namespace vintage::archive::store

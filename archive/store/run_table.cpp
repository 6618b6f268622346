#include "archive/store/record_tables.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "archive/store/blob_codec.h"
#include "archive/store/outside_json.h"
#include "archive/store/record_json.h"
#include "archive/store/record_limits.h"
#include "archive/store/row_values.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive::store {
namespace {

std::vector<std::string> failureNames(const Limitation& limitation) {
  std::vector<std::string> names;
  for (const FailureKind kind : limitation.failures) names.push_back(failureKindName(kind));
  return names;
}

Status putLimitation(Database& database, const std::string& run,
                     const Limitation& limitation) {
  RETURN_IF_ERROR(checkLimits(limitation));
  RETURN_IF_ERROR(runWith(database, R"(
      INSERT INTO run_limitation (run, id, primitive, dtypes, platforms, modes, variants,
        description, issue, since, failures, until, skip_run)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING)",
                          run, limitation.id, limitation.primitive, limitation.dtypes,
                          limitation.platforms, limitation.modes, limitation.variants,
                          limitation.description, limitation.issue, limitation.since,
                          failureNames(limitation), limitation.until, limitation.skipRun));
  if (database.changes() == 0)
    return conflict("two limitations have the id '{}'; ids have to be unique", limitation.id);
  return {};
}

// None where it is empty.
Status putVerdict(Database& database, std::string_view run, std::string_view verdict) {
  if (verdict.empty()) return runWith(database, "DELETE FROM run_verdict WHERE run = ?", run);
  // That of a whole catalogue is long: it is checked and packed at once.
  constexpr size_t kLong = size_t{1} << 20;
  bool isJson = false;
  Result<EncodedBlob> packed;
  inParallel(2, verdict.size() < kLong ? 2 : 1, [&](size_t part) {
    if (part == 0)
      isJson = fitsJsonDepth(verdict) && nlohmann::json::accept(verdict);
    else
      packed = encodeBlob(std::as_bytes(std::span(verdict)));
  });
  if (!isJson)
    return usageError("a run's verdict has to be JSON of at most {} levels", kDeepestJson);
  if (!packed) return tl::unexpected(packed.error());
  return runWith(database, R"(
      INSERT INTO run_verdict (run, bytes, codec, verdict) VALUES (?, ?, ?, ?)
      ON CONFLICT (run) DO UPDATE SET bytes = excluded.bytes, codec = excluded.codec,
        verdict = excluded.verdict)",
                 run, static_cast<int64_t>(verdict.size()), packed->codec, packed->bytes);
}

Status readRun(const Query& query, RunRecord& run) {
  return readRow(query, 0, run.id, run.kind, run.commandLine, run.started, run.finished,
                 run.result);
}

// A run may be filled in and finished; what says something else than before replaces it.
Status noteReplaced(Database& database, const RunRecord& run,
                    std::span<const Limitation> limitations, const Author& author) {
  const auto kept = findRun(database, run.id);
  if (!kept && kept.error().kind == Error::Kind::kNotFound) return {};
  if (!kept) return tl::unexpected(kept.error());
  ASSIGN_OR_RETURN(auto keptLimitations, limitationsOfRun(database, run.id));
  const nlohmann::json before = recordJson(RunWithLimitations{*kept, std::move(keptLimitations)});
  std::vector<Limitation> sorted(limitations.begin(), limitations.end());
  std::ranges::sort(sorted, {}, &Limitation::id);
  const nlohmann::json after = recordJson(RunWithLimitations{run, std::move(sorted)});
  RETURN_IF_ERROR(
      checkOnlyAdds(author, fmt::format("run '{}'", run.id.substr(0, 80)), before, after));
  // One that is not finished is still being written.
  if (kept->finished.empty()) return {};
  return noteChange(database, author, "run replaced", run.id, before, after);
}

}  // namespace

Status putRunRow(Database& database, const RunRecord& run,
                 std::span<const Limitation> limitations, const Author& author) {
  RETURN_IF_ERROR(checkLimits(run));
  RETURN_IF_ERROR(noteReplaced(database, run, limitations, author));
  RETURN_IF_ERROR(runWith(database, R"(
      INSERT INTO run (id, kind, command_line, started, finished, result) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, command_line = excluded.command_line,
        started = excluded.started, finished = excluded.finished, result = excluded.result)",
                          run.id, run.kind, run.commandLine, run.started, run.finished,
                          run.result));
  RETURN_IF_ERROR(putVerdict(database, run.id, run.verdict));
  RETURN_IF_ERROR(runWith(database, "DELETE FROM run_limitation WHERE run = ?", run.id));
  for (const Limitation& limitation : limitations) {
    RETURN_IF_ERROR(putLimitation(database, run.id, limitation));
  }
  return {};
}

Status finishRunRow(Database& database, std::string_view run, std::string_view finished,
                    std::string_view verdict, std::string_view result, const Author& author) {
  if (auto before = findRun(database, run); before && !before->finished.empty()) {
    RunRecord after = *before;
    after.finished = finished;
    after.verdict = verdict;
    after.result = result;
    const std::string subject = fmt::format("run '{}'", run.substr(0, 80));
    RETURN_IF_ERROR(checkOnlyAdds(author, subject, recordJson(*before), recordJson(after)));
    RETURN_IF_ERROR(
        noteChange(database, author, "run replaced", run, recordJson(*before), recordJson(after)));
  }
  RETURN_IF_ERROR(runWith(database, "UPDATE run SET finished = ?, result = ? WHERE id = ?",
                          finished, result, run));
  if (database.changes() == 0)
    return notFound("{}: there is no run '{}'; begin it with putRun", database.path(), run);
  return putVerdict(database, run, verdict);
}

Result<RunRecord> findRun(Database& database, std::string_view run) {
  ASSIGN_OR_RETURN(auto query, database.query(R"(
      SELECT id, kind, command_line, started, finished, result, verdict, codec, bytes FROM run
      LEFT JOIN run_verdict ON run_verdict.run = run.id WHERE id = ?)"));
  ASSIGN_OR_RETURN(const auto row, query.bind(run).step());
  if (!row) return notFound("{}: there is no run '{}'", database.path(), run.substr(0, 80));
  RunRecord found;
  RETURN_IF_ERROR(readRun(query, found));
  if (query.isNull(6)) return found;
  const auto verdict =
      decodeBlob(query.integer(7), query.blob(6), static_cast<uint64_t>(query.integer(8)));
  if (!verdict) return within("the verdict of run " + found.id, verdict.error());
  found.verdict.assign(reinterpret_cast<const char*>(verdict->data()), verdict->size());
  return found;
}

Result<std::vector<RunRecord>> allRuns(Database& database) {
  ASSIGN_OR_RETURN(auto query, database.query("SELECT id, kind, command_line, started, finished, "
                                              "result FROM run ORDER BY id"));
  std::vector<RunRecord> runs;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return runs;
    RETURN_IF_ERROR(readRun(query, runs.emplace_back()));
  }
}

Result<std::vector<Limitation>> limitationsOfRun(Database& database, std::string_view run) {
  ASSIGN_OR_RETURN(auto query, database.query(R"(
      SELECT id, primitive, dtypes, platforms, modes, variants, description, issue, since, failures,
        until, skip_run FROM run_limitation WHERE run = ? ORDER BY id)"));
  query.bind(run);
  std::vector<Limitation> limitations;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return limitations;
    Limitation& limitation = limitations.emplace_back();
    std::vector<std::string> failures;
    RETURN_IF_ERROR(within(
        limitation.id,
        readRow(query, 0, limitation.id, limitation.primitive, limitation.dtypes,
                limitation.platforms, limitation.modes, limitation.variants, limitation.description,
                limitation.issue, limitation.since, failures, limitation.until,
                limitation.skipRun)));
    for (const std::string& name : failures) {
      ASSIGN_OR_RETURN(const auto kind, within(limitation.id, parseFailureKind(name)));
      limitation.failures.push_back(kind);
    }
  }
}

}  // namespace vintage::archive::store

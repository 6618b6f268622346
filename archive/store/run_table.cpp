#include "archive/store/record_tables.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "archive/store/blob_codec.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive {
namespace {

Status putLimitation(Database& database, const std::string& run,
                     const Limitation& limitation) {
  RETURN_IF_ERROR(checkLimits(limitation));
  static const std::string kPut =
      insertFields<Limitation>("run_limitation", {"run"}) + " ON CONFLICT DO NOTHING";
  ASSIGN_OR_RETURN(auto query, database.query(kPut));
  query.bind(run);
  RETURN_IF_ERROR(bindFields(query, limitation).run());
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
  static const std::string kPut = replaceFields<RunRecord>("run", "id");
  {
    ASSIGN_OR_RETURN(auto query, database.query(kPut));
    RETURN_IF_ERROR(bindFields(query, run).run());
  }
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
  static const std::string kSql = selectFields<RunRecord>("run") + " WHERE id = ?";
  RunRecord found;
  {
    ASSIGN_OR_RETURN(auto query, database.query(kSql));
    ASSIGN_OR_RETURN(const auto row, query.bind(run).step());
    if (!row) return notFound("{}: there is no run '{}'", database.path(), run.substr(0, 80));
    RETURN_IF_ERROR(readFields(query, found));
  }
  ASSIGN_OR_RETURN(auto query,
                   database.query("SELECT verdict, codec, bytes FROM run_verdict WHERE run = ?"));
  ASSIGN_OR_RETURN(const auto row, query.bind(run).step());
  if (!row) return found;
  const auto verdict =
      decodeBlob(query.integer(1), query.blob(0), static_cast<uint64_t>(query.integer(2)));
  if (!verdict) return within("the verdict of run " + found.id, verdict.error());
  found.verdict.assign(reinterpret_cast<const char*>(verdict->data()), verdict->size());
  return found;
}

Result<std::vector<RunRecord>> allRuns(Database& database) {
  return selectRecords<RunRecord>(database, selectFields<RunRecord>("run") + " ORDER BY id");
}

Result<std::vector<Limitation>> limitationsOfRun(Database& database, std::string_view run) {
  return selectRecords<Limitation>(
      database, selectFields<Limitation>("run_limitation") + " WHERE run = ? ORDER BY id", run);
}

}  // namespace vintage::archive

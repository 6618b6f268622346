// The index's rows of runs, with the limitations that each was judged by, and of builds.
#include <algorithm>
#include <atomic>
#include <ctime>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "archive/records/records.h"
#include "archive/store/archive_implementation.h"
#include "archive/store/blob_codec.h"
#include "archive/store/record_fields.h"
#include "archive/store/record_json.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/parallel.h"

namespace vintage::archive {
namespace {

// Sorts by time; the hexadecimal digits distinguish runs of one microsecond.
std::string newRunId(std::chrono::system_clock::time_point now) {
  static std::atomic<uint32_t> counter{0};
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now - second).count();
  std::string time = timeText(now);
  time.pop_back();
  return fmt::format("{}.{:06}Z-{:06x}", time, micro,
                     (static_cast<uint32_t>(::getpid()) * 64 + counter++) & 0xffffff);
}

// Behind all ids of the archive's own runs, since the outcomes of the last one count: where the
// clock was ahead once, a second behind that. An id of another form came from elsewhere, and is not
// followed.
Result<std::string> nextRunId(Database& database, std::chrono::system_clock::time_point now) {
  std::string id = newRunId(now);
  ASSIGN_OR_RETURN(auto query, database.query("SELECT max(id) FROM run WHERE reporter = ''"));
  ASSIGN_OR_RETURN(const bool any, query.step());
  const std::string newest = any && !query.isNull(0) ? query.text(0) : "";
  std::tm ahead{};
  if (newest >= id && ::strptime(newest.c_str(), "%Y-%m-%dT%H:%M:%S.", &ahead) != nullptr)
    id = newRunId(std::chrono::system_clock::from_time_t(::timegm(&ahead) + 1));
  return id;
}

Status putLimitation(Database& database, const std::string& run, const Limitation& limitation) {
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
  // The verdict of a whole catalogue is long: it is checked and packed at once.
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
                 run, verdict.size(), packed->codec, packed->bytes);
}

// A run stays its reporter's. Notes a replacement that differs, or refuses it (kConflict) where the
// author may only add, or reports a run of somebody else.
Status noteReplaced(Database& database, const Author& author, const std::string& run,
                    const nlohmann::json& before, const nlohmann::json& after, bool isFinished) {
  const std::string subject = fmt::format("run '{}'", run.substr(0, 80));
  if (!author.reporter.empty() && before["reporter"] != author.reporter)
    return checkRepeats(author, subject, before, after);
  RETURN_IF_ERROR(checkOnlyAdds(author, subject, before, after));
  // One that is not finished is still being written.
  return isFinished ? noteChange(database, author, "run replaced", run, before, after) : Status();
}

const std::string& selectBuild() {
  static const std::string kSql = selectFields<BuildRecord>("build");
  return kSql;
}

// Notes a replaced build, or refuses it (kConflict) where the author may only add, or reports a
// build of somebody else.
Status checkReplaced(Database& database, BuildRecord& build, const Author& author) {
  static const std::string kByName = selectBuild() + " WHERE name = ?";
  ASSIGN_OR_RETURN(const auto found,
                   within(build.name, selectRecords<BuildRecord>(database, kByName, build.name)));
  if (found.empty()) {
    if (!author.reporter.empty()) build.details.reporter = author.reporter;
    return {};
  }
  const BuildRecord& kept = found.front();
  const std::string& reporter = kept.details.reporter;
  if (!author.reporter.empty() || reporter.empty()) build.details.reporter = reporter;
  // No reporter keeps the archive's owner from a name.
  const bool isTaken = author.mayReplace && !reporter.empty() && build.details.reporter.empty();
  if (!isTaken && kept.buildDate != build.buildDate)
    return conflict(
        "build '{}' is kept with build date {}, and {} here; outcomes were judged by the kept "
        "date: give the new build another name",
        build.name, formatDate(kept.buildDate), formatDate(build.buildDate));
  const auto before = recordJson(kept), after = recordJson(build);
  const std::string subject = fmt::format("build '{}'", build.name);
  if (!author.reporter.empty() && reporter != author.reporter)
    return checkRepeats(author, subject, before, after);
  RETURN_IF_ERROR(checkOnlyAdds(author, subject, before, after));
  return noteChange(database, author, "build replaced", build.name, before, after);
}

}  // namespace

Result<std::string> Archive::putRun(RunRecord run, std::span<const Limitation> limitations) {
  const auto now = implementation_->clock.now();
  RETURN_IF_ERROR(implementation_->inTransaction([&]() -> Status {
    Database& database = *implementation_->database;
    // A run that has an id is known from elsewhere; when it began may not be.
    if (run.id.empty()) {
      if (run.started.empty()) run.started = timeText(now);
      ASSIGN_OR_RETURN(run.id, nextRunId(database, now));
    }
    if (const Author author = implementation_->author(); !author.reporter.empty())
      run.reporter = author.reporter;
    RETURN_IF_ERROR(checkLimits(run));
    const auto kept = this->run(run.id);
    if (kept) {
      if (run.reporter.empty() && !kept->reporter.empty())
        return conflict("run '{}' was reported by '{}'; give another run another id",
                        run.id.substr(0, 80), kept->reporter);
      run.reporter = kept->reporter;
      ASSIGN_OR_RETURN(auto keptLimitations, this->limitations(run.id));
      std::vector<Limitation> sorted(limitations.begin(), limitations.end());
      std::ranges::sort(sorted, {}, &Limitation::id);
      RETURN_IF_ERROR(noteReplaced(
          database, implementation_->author(), run.id,
          recordJson(RunWithLimitations{*kept, std::move(keptLimitations)}),
          recordJson(RunWithLimitations{run, std::move(sorted)}), !kept->finished.empty()));
    } else if (kept.error().kind != Error::Kind::kNotFound) {
      return tl::unexpected(kept.error());
    }
    static const std::string kPut = replaceFields<RunRecord>("run", "id");
    {
      ASSIGN_OR_RETURN(auto query, database.query(kPut));
      RETURN_IF_ERROR(bindFields(query, run).run());
    }
    RETURN_IF_ERROR(putVerdict(database, run.id, run.verdict));
    RETURN_IF_ERROR(runWith(database, "DELETE FROM run_limitation WHERE run = ?", run.id));
    for (const Limitation& limitation : limitations)
      RETURN_IF_ERROR(putLimitation(database, run.id, limitation));
    return {};
  }));
  return run.id;
}

Status Archive::finishRun(std::string_view run, std::string_view verdict, std::string_view result) {
  const std::string finished = timeText(implementation_->clock.now());
  return implementation_->inTransaction([&]() -> Status {
    Database& database = *implementation_->database;
    if (auto before = this->run(run); before && !before->finished.empty()) {
      RunRecord after = *before;
      after.finished = finished;
      after.verdict = verdict;
      after.result = result;
      RETURN_IF_ERROR(noteReplaced(database, implementation_->author(), after.id,
                                   recordJson(*before), recordJson(after), true));
    }
    RETURN_IF_ERROR(runWith(database, "UPDATE run SET finished = ?, result = ? WHERE id = ?",
                            finished, result, run));
    if (database.changes() == 0)
      return notFound("{}: there is no run '{}'; begin it with putRun", database.path(), run);
    return putVerdict(database, run, verdict);
  });
}

Result<RunRecord> Archive::run(std::string_view id) const {
  static const std::string kSql = selectFields<RunRecord>("run") + " WHERE id = ?";
  Database& database = *implementation_->database;
  ASSIGN_OR_RETURN(auto runs, selectRecords<RunRecord>(database, kSql, id));
  if (runs.empty()) return notFound("{}: there is no run '{}'", database.path(), id.substr(0, 80));
  RunRecord& found = runs.front();
  std::vector<std::byte> packed;
  int64_t codec = 0, bytes = 0;
  ASSIGN_OR_RETURN(const bool hasVerdict,
                   firstRow(database, "SELECT verdict, codec, bytes FROM run_verdict WHERE run = ?",
                            std::tie(packed, codec, bytes), id));
  if (!hasVerdict) return std::move(found);
  ASSIGN_OR_RETURN(const auto verdict,
                   within("the verdict of run " + found.id,
                          decodeBlob(codec, packed, static_cast<uint64_t>(bytes))));
  found.verdict.assign(reinterpret_cast<const char*>(verdict.data()), verdict.size());
  return std::move(found);
}

Result<std::vector<RunRecord>> Archive::runs() const {
  return selectRecords<RunRecord>(*implementation_->database,
                                  selectFields<RunRecord>("run") + " ORDER BY id");
}

Result<std::vector<Limitation>> Archive::limitations(std::string_view run) const {
  return selectRecords<Limitation>(
      *implementation_->database,
      selectFields<Limitation>("run_limitation") + " WHERE run = ? ORDER BY id", run);
}

Status Archive::putBuild(BuildRecord build) {
  return implementation_->inTransaction([&]() -> Status {
    if (build.name.empty()) return usageError("a build needs a name, such as 'jax 0.4.14'");
    RETURN_IF_ERROR(checkLimits(build));
    Database& database = *implementation_->database;
    RETURN_IF_ERROR(checkReplaced(database, build, implementation_->author()));
    static const std::string kPut = replaceFields<BuildRecord>("build", "name");
    ASSIGN_OR_RETURN(auto query, database.query(kPut));
    return bindFields(query, build).run();
  });
}

Result<std::vector<BuildRecord>> Archive::builds() const {
  ASSIGN_OR_RETURN(auto builds,
                   selectRecords<BuildRecord>(*implementation_->database, selectBuild()));
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(a, b); });
  return builds;
}

Result<std::vector<Archive::FormerCommand>> Archive::formerCommands() const {
  return selectMembers<&FormerCommand::build, &FormerCommand::worker, &FormerCommand::exporter,
                       &FormerCommand::environment>(
      *implementation_->database,
      "SELECT build, command, exporter, environment FROM former_command ORDER BY build");
}

Status Archive::forgetFormerCommand(std::string_view build) {
  return runWith(*this, "DELETE FROM former_command WHERE build = ?", build);
}

Status Archive::removeBuild(std::string_view name, bool withOutcomes) {
  return implementation_->inTransaction([&]() -> Status {
    Database& database = *implementation_->database;
    int64_t row = 0, outcomes = 0;
    ASSIGN_OR_RETURN(const bool found, firstRow(database, R"(
        SELECT id, (SELECT count(*) FROM outcome WHERE build = build.id) FROM build
        WHERE name = ?)",
                                                std::tie(row, outcomes), name));
    if (!found) return notFound("no build is registered as '{}'", name);
    if (outcomes > 0 && !withOutcomes)
      return conflict("{} of build '{}' would go with it; pass --with-outcomes to remove them too",
                      counted(outcomes, "outcome"), name);
    RETURN_IF_ERROR(noteChange(database, implementation_->author(), "build removed", name,
                               {{"outcomes", outcomes}}, nlohmann::json::object()));
    RETURN_IF_ERROR(runWith(database, "DELETE FROM outcome WHERE build = ?", row));
    RETURN_IF_ERROR(runWith(database, "DELETE FROM former_command WHERE build = ?", name));
    return runWith(database, "DELETE FROM build WHERE id = ?", row);
  });
}

}  // namespace vintage::archive

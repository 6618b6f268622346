#include "archive/retention/retention.h"

#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_parts.h"
#include "archive/store/artifact_table.h"
#include "archive/store/family.h"
#include "archive/store/row_selection.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive::retention {
namespace {

constexpr int64_t kPage = 256;  // Records that are read, and removed, at a time.

struct Candidate {
  int64_t row = 0;
  ArtifactRecord record;
  std::string reason;
};

class Retention {
 public:
  Retention(Archive::Implementation& archive, const RetentionOptions& options)
      : archive_(archive),
        database_(*archive.database),
        options_(options),
        decision_(options.policy, options.today) {}

  Result<RetentionSummary> run() {
    RETURN_IF_ERROR(checkDate());
    RETURN_IF_ERROR(readAnnounced());
    RETURN_IF_ERROR(noteBegin());
    ASSIGN_OR_RETURN(const auto total, database_.integer("SELECT count(*) FROM artifact"));
    // Newest first.
    ASSIGN_OR_RETURN(auto order,
                     RowSelection::make(database_,
                                        "SELECT row_number() OVER (ORDER BY build_day DESC, name "
                                        "DESC, id DESC), id FROM artifact_record",
                                        [](Query&) {}));
    const Status walked = walk(order.id(), total);
    RETURN_IF_ERROR(order.remove());
    RETURN_IF_ERROR(walked);
    summary_.keptBy = decision_.keptBy();
    RETURN_IF_ERROR(noteEnd());
    return summary_;
  }

 private:
  // The date decides what goes, and comes from a clock or from a hand.
  Status checkDate() const {
    ASSIGN_OR_RETURN(auto query,
                     database_.query("SELECT day FROM retention_run ORDER BY id DESC LIMIT 1"));
    ASSIGN_OR_RETURN(const auto found, query.step());
    if (!found || options_.dateIsConfirmed || options_.dryRun) return {};
    const int64_t days = dayNumber(options_.today) - query.integer(0);
    if (days >= 0 && days <= options_.policy.longestPauseDays) return {};
    return usageError(
        "{}: today is said to be {}, and retention ran last on {}: {}; nothing was removed; check "
        "the clock, then confirm the date with --confirm-date {}",
        archive_.folder, formatDate(options_.today), formatDate(dateOfDay(query.integer(0))),
        days < 0 ? std::string("the date went back")
                 : fmt::format("{} days lie between, and the policy allows {}", days,
                               options_.policy.longestPauseDays),
        formatDate(options_.today));
  }

  Status readAnnounced() {
    ASSIGN_OR_RETURN(auto query, database_.query("SELECT artifact, since_day FROM leaving"));
    while (true) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) return {};
      // After a date that was wrong: the waiting begins anew.
      announced_.emplace(query.integer(0), std::min(query.integer(1), dayNumber(options_.today)));
    }
  }

  // At once, so that a run that is killed is remembered too.
  Status noteBegin() {
    if (options_.dryRun) return {};
    return archive_.inTransaction([&]() -> Status {
      RETURN_IF_ERROR(runWith(database_, "UPDATE leaving SET since_day = ?1 WHERE since_day > ?1",
                              options_.today));
      RETURN_IF_ERROR(runWith(database_,
                              "INSERT INTO retention_run (day, began, announced, withdrawn, "
                              "removed) VALUES (?, ?, 0, 0, 0)",
                              options_.today, archive_.seconds()));
      run_ = database_.lastRow();
      return {};
    });
  }

  Status noteEnd() {
    if (options_.dryRun) return {};
    return archive_.inTransaction([&] {
      return runWith(database_,
                     "UPDATE retention_run SET announced = ?, withdrawn = ?, removed = ? WHERE id "
                     "= ?",
                     summary_.announced, summary_.withdrawn, summary_.removed, run_);
    });
  }

  Status walk(int64_t order, int64_t total) {
    for (int64_t position = 1;; position += kPage) {
      ASSIGN_OR_RETURN(const auto rows, pageFrom(order, position));
      if (rows.empty()) return {};
      RETURN_IF_ERROR(decide(rows));
      if (options_.progress)
        options_.progress(static_cast<size_t>(summary_.artifacts),
                          static_cast<size_t>(std::max(total, summary_.artifacts)));
    }
  }

  Result<std::vector<int64_t>> pageFrom(int64_t order, int64_t position) {
    ASSIGN_OR_RETURN(auto query,
                     database_.query("SELECT record FROM temp.selection WHERE selection = ? AND "
                                     "position BETWEEN ? AND ? ORDER BY position"));
    query.bind(order).bind(position).bind(position + kPage - 1);
    std::vector<int64_t> rows;
    while (true) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) return rows;
      rows.push_back(query.integer(0));
    }
  }

  Status decide(const std::vector<int64_t>& rows) {
    std::vector<Candidate> leaving;
    std::vector<int64_t> staying;  // That were announced.
    for (const int64_t row : rows) {
      auto record = artifactOfRow(database_, row);
      if (!record && record.error().kind == Error::Kind::kNotFound) continue;
      if (!record) return tl::unexpected(record.error());
      ++summary_.artifacts;
      std::string reason = decision_.reasonToGo(*record);
      if (!reason.empty())
        leaving.push_back({row, std::move(*record), std::move(reason)});
      else if (announced_.contains(row))
        staying.push_back(row);
    }
    if (leaving.empty() && staying.empty()) return {};
    const auto work = [&]() -> Status {
      for (const int64_t row : staying) {
        RETURN_IF_ERROR(withdraw(row));
      }
      for (const Candidate& candidate : leaving) {
        RETURN_IF_ERROR(decide(candidate));
      }
      return {};
    };
    return options_.dryRun ? work() : archive_.inTransaction(work);
  }

  Status withdraw(int64_t row) {
    ++summary_.withdrawn;
    if (options_.dryRun) return {};
    return runWith(database_, "DELETE FROM leaving WHERE artifact = ?", row);
  }

  // Two have to agree that it goes: the policy, on the day that announced it and today, and
  // what can be reached: neither a hold nor a lease names it.
  Status decide(const Candidate& candidate) {
    using State = LeavingArtifact::State;
    LeavingArtifact leaving{candidate.record, candidate.reason};
    const auto before = announced_.find(candidate.row);
    const bool isNew = before == announced_.end();
    leaving.goes = dateOfDay(isNew ? dayNumber(options_.today) : before->second) +
                   std::chrono::days(options_.policy.waitDays);
    ASSIGN_OR_RETURN(const auto hold, holdOf(candidate.row));
    if (hold) {
      leaving.state = State::kHeld;
      leaving.heldBy = *hold;
    } else if (leaving.goes > options_.today) {
      leaving.state = State::kWaits;
    } else {
      ASSIGN_OR_RETURN(const auto leased, isLeased(candidate.record));
      leaving.state = leased ? State::kInUse : State::kGoes;
    }
    if (options_.visit) options_.visit(leaving);
    switch (leaving.state) {
      case State::kHeld:
        ++summary_.held;
        return isNew ? Status() : withdraw(candidate.row);
      case State::kInUse:
        ++summary_.inUse;
        [[fallthrough]];
      case State::kWaits:
        ++summary_.waiting;
        return isNew ? announce(candidate) : Status();
      case State::kGoes:
        ++summary_.removed;
        return options_.dryRun ? Status() : remove(candidate);
    }
    return {};
  }

  Status announce(const Candidate& candidate) {
    ++summary_.announced;
    if (options_.dryRun) return {};
    // Where the artifact is gone meanwhile nothing is announced.
    return runWith(database_, R"(
        INSERT OR IGNORE INTO leaving (artifact, since_day, reason)
        SELECT id, ?, ? FROM artifact WHERE id = ?)",
                   options_.today, candidate.reason, candidate.row);
  }

  Result<std::optional<std::string>> holdOf(int64_t row) {
    ASSIGN_OR_RETURN(auto query, database_.query("SELECT reason FROM hold WHERE artifact = ? AND "
                                                 "(until_day IS NULL OR until_day >= ?)"));
    ASSIGN_OR_RETURN(const auto found, query.bind(row).bind(dayNumber(options_.today)).step());
    if (!found) return std::nullopt;
    return query.text(0);
  }

  Result<bool> isLeased(const ArtifactRecord& record) {
    ASSIGN_OR_RETURN(auto query, database_.query("SELECT 1 FROM lease_content WHERE hash = ?"));
    ASSIGN_OR_RETURN(const auto found, query.bindBlob(hashBytes(record.id)).step());
    return found;
  }

  Status remove(const Candidate& candidate) {
    const ArtifactRecord& record = candidate.record;
    ASSIGN_OR_RETURN(const auto blob, blobOf(candidate));
    if (blob == 0) {  // Somebody else was faster.
      --summary_.removed;
      return {};
    }
    for (const char* table : {"hold", "leaving"}) {
      RETURN_IF_ERROR(runWith(database_, fmt::format("DELETE FROM {} WHERE artifact = ?", table),
                              candidate.row));
    }
    ASSIGN_OR_RETURN(const auto found, signaturesOf(candidate.row));
    RETURN_IF_ERROR(deleteArtifact(database_, candidate.row));
    ASSIGN_OR_RETURN(const auto outcomes, countOutcomes(blob, record));
    if (options_.policy.outcomes == RetentionPolicy::Outcomes::kRemove) {
      RETURN_IF_ERROR(removeOutcomes(
          blob, fmt::format("{} of {}: {}", record.name, record.producer, candidate.reason)));
    }
    return note(candidate, outcomes, found);
  }

  // Its signatures go with the artifact; that it stood in signed lists stays, by their hashes.
  struct Signed {
    nlohmann::json lists = nlohmann::json::object(), hashes = nlohmann::json::object();
  };
  Result<Signed> signaturesOf(int64_t row) {
    ASSIGN_OR_RETURN(
        auto query,
        database_.query("SELECT key, list, signature FROM signature WHERE artifact = ?"));
    query.bind(row);
    Signed found;
    while (true) {
      ASSIGN_OR_RETURN(const auto more, query.step());
      if (!more) return found;
      found.lists[query.text(0)] = query.integer(1);
      found.hashes[query.text(0)] = contentHash(query.blob(2));
    }
  }

  // 0 where the row is gone, or is another artifact's by now.
  Result<int64_t> blobOf(const Candidate& candidate) {
    ASSIGN_OR_RETURN(auto query, database_.query(R"(
        SELECT blob FROM artifact_record WHERE id = ? AND name = ? AND producer = ? AND build_day =
        ?)"));
    const ArtifactRecord& record = candidate.record;
    bindRow(query, candidate.row, record.name, record.producer, record.buildDate);
    ASSIGN_OR_RETURN(const auto row, query.step());
    return row ? query.integer(0) : 0;
  }

  // Outcomes of these bytes with this golden.
  Result<std::string> countOutcomes(int64_t blob, const ArtifactRecord& record) {
    ASSIGN_OR_RETURN(auto query, database_.query("SELECT outcome, count(*) FROM outcome WHERE blob "
                                                 "= ? AND golden = ? GROUP BY outcome"));
    query.bind(blob).bindBlob(hashBytes(record.golden));
    nlohmann::json counts = nlohmann::json::object();
    while (true) {
      ASSIGN_OR_RETURN(const auto row, query.step());
      if (!row) return counts.dump();
      counts[outcomeName(static_cast<OutcomeKind>(query.integer(0)))] = query.integer(1);
    }
  }

  // Outcomes of these bytes with goldens that no artifact names any more.
  Status removeOutcomes(int64_t blob, const std::string& reason) {
    RETURN_IF_ERROR(runWith(database_, R"(
        DELETE FROM outcome WHERE blob = ?1 AND golden NOT IN (SELECT coalesce(g.hash, x'')
          FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden WHERE a.blob = ?1))",
                            blob));
    const int64_t removed = database_.changes();
    summary_.outcomesRemoved += removed;
    if (removed == 0) return {};
    return noteChange(database_, archive_.author(), "outcomes removed", reason,
                      {{"outcomes", removed}}, nlohmann::json::object());
  }

  Status note(const Candidate& candidate, const std::string& outcomes, const Signed& found) {
    const ArtifactRecord& record = candidate.record;
    std::optional<std::vector<std::byte>> golden;
    if (!record.golden.empty()) golden = hashBytes(record.golden);
    return runWith(database_, R"(
        INSERT INTO removal (hash, golden, name, producer, build_day, primitive, case_id, removed,
          reason, outcomes, lists, signatures) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))",
                   hashBytes(record.id), golden, record.name, record.producer, record.buildDate,
                   record.primitive, record.caseId, archive_.seconds(), candidate.reason, outcomes,
                   found.lists.dump(), found.hashes.dump());
  }

  Archive::Implementation& archive_;
  Database& database_;
  const RetentionOptions& options_;
  RetentionDecision decision_;
  std::unordered_map<int64_t, int64_t> announced_;  // Rows of artifacts, and since which day.
  int64_t run_ = 0;
  RetentionSummary summary_;
};

}  // namespace

Result<RetentionSummary> applyRetention(Archive& archive, const RetentionOptions& options) {
  return Retention(archive.implementation(), options).run();
}

Result<std::vector<WaitingArtifact>> waitingArtifacts(const Archive& archive) {
  Database& database = *archive.implementation().database;
  ASSIGN_OR_RETURN(auto query, database.query("SELECT artifact, since_day, reason FROM leaving "
                                              "ORDER BY since_day, artifact"));
  std::vector<WaitingArtifact> waiting;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return waiting;
    ASSIGN_OR_RETURN(auto record, artifactOfRow(database, query.integer(0)));
    waiting.push_back({std::move(record), dateOfDay(query.integer(1)), query.text(2)});
  }
}

Result<std::vector<RecordedRemoval>> recordedRemovals(const Archive& archive, size_t longest) {
  ASSIGN_OR_RETURN(
      auto query,
      archive.implementation().database->query(
          "SELECT hash, golden, name, producer, build_day, removed, reason, outcomes FROM removal "
          "ORDER BY id DESC LIMIT ?"));
  query.bind(static_cast<int64_t>(longest));
  std::vector<RecordedRemoval> removals;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, query.step());
    if (!row) return removals;
    const auto time = std::chrono::system_clock::time_point(std::chrono::seconds(query.integer(5)));
    removals.push_back({hashText(query.blob(0)), hashText(query.blob(1)), query.text(2),
                        query.text(3), dateOfDay(query.integer(4)), timeText(time), query.text(6),
                        query.text(7)});
  }
}

}  // namespace vintage::archive::retention

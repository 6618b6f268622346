#include "archive/store/retention_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/archive_implementation.h"
#include "archive/store/artifact_table.h"
#include "archive/store/index_check.h"
#include "archive/store/row_values.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

std::string textOfSeconds(int64_t seconds) {
  return timeText(std::chrono::system_clock::time_point(std::chrono::seconds(seconds)));
}

Status noteHold(Archive& archive, std::string_view what, const ArtifactRecord& artifact,
                const nlohmann::json& after) {
  return noteChange(archive, what, fmt::format("{} of {}", artifact.name, artifact.producer),
                    after.empty() ? nlohmann::json{{"held", true}} : nlohmann::json::object(),
                    after);
}

// Its signatures go with the artifact; that it stood in signed lists stays, by their hashes.
struct Signed {
  nlohmann::json lists = nlohmann::json::object(), hashes = nlohmann::json::object();
};
Result<Signed> signaturesOf(Database& database, int64_t artifact) {
  Signed found;
  RETURN_IF_ERROR(visitRows(
      database, "SELECT key, list, signature FROM signature WHERE artifact = ?",
      [&](const Query& row) {
        found.lists[row.text(0)] = row.integer(1);
        found.hashes[row.text(0)] = contentHash(row.blob(2));
      },
      artifact));
  return found;
}

// Outcomes of these bytes with this golden.
Result<std::string> countOutcomes(Database& database, int64_t blob, const ContentId& golden) {
  nlohmann::json counts = nlohmann::json::object();
  RETURN_IF_ERROR(visitRows(
      database,
      "SELECT outcome, count(*) FROM outcome WHERE blob = ? AND golden = ? GROUP BY outcome",
      [&](const Query& row) {
        counts[outcomeName(static_cast<OutcomeKind>(row.integer(0)))] = row.integer(1);
      },
      blob, hashBytes(golden)));
  return counts.dump();
}

// Those with goldens that no artifact of these bytes names any more.
Result<int64_t> removeOutcomes(Archive& archive, int64_t blob, const std::string& reason) {
  Database& database = indexOf(archive);
  RETURN_IF_ERROR(runWith(database, R"(
      DELETE FROM outcome WHERE blob = ?1 AND golden NOT IN (SELECT coalesce(g.hash, x'')
        FROM artifact AS a LEFT JOIN blob AS g ON g.id = a.golden WHERE a.blob = ?1))",
                          blob));
  const int64_t removed = database.changes();
  if (removed > 0)
    RETURN_IF_ERROR(noteChange(archive, "outcomes removed", reason, {{"outcomes", removed}},
                               nlohmann::json::object()));
  return removed;
}

}  // namespace

Status placeHold(Archive& archive, const ArtifactRecord& artifact, const std::string& reason,
                 std::optional<Date> until) {
  Archive::Implementation& self = archive.implementation();
  if (reason.empty()) return usageError("a hold needs a reason, for those who find it later");
  return self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto row,
                     rowOfArtifact(*self.database, artifact.name, artifact.producer));
    if (!row)
      return notFound("{}: the archive no longer holds {} of {}", self.folder, artifact.name,
                      artifact.producer);
    RETURN_IF_ERROR(runWith(*self.database, R"(
        INSERT INTO hold (artifact, reason, placed, until_day) VALUES (?, ?, ?, ?)
        ON CONFLICT (artifact) DO UPDATE SET reason = excluded.reason, placed = excluded.placed,
          until_day = excluded.until_day)",
                            *row, reason, self.seconds(), until));
    return noteHold(archive, "hold placed", artifact,
                    {{"reason", reason}, {"until", until ? formatDate(*until) : std::string()}});
  });
}

Status releaseHold(Archive& archive, const ArtifactRecord& artifact) {
  Archive::Implementation& self = archive.implementation();
  return self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto row,
                     rowOfArtifact(*self.database, artifact.name, artifact.producer));
    RETURN_IF_ERROR(runWith(*self.database, "DELETE FROM hold WHERE artifact = ?", row));
    if (self.database->changes() == 0)
      return notFound("{}: there is no hold on {} of {}; 'vintage hold --list' shows them",
                      self.folder, artifact.name, artifact.producer);
    return noteHold(archive, "hold released", artifact, nlohmann::json::object());
  });
}

Result<std::vector<Hold>> allHolds(const Archive& archive) {
  const auto read = [&](const Query& row) -> Result<Hold> {
    ASSIGN_OR_RETURN(auto artifact, artifactOfRow(archive, row.integer(0)));
    Hold hold{std::move(artifact), row.text(1), textOfSeconds(row.integer(2)), std::nullopt};
    RETURN_IF_ERROR(readValue(row, 3, hold.until));
    return hold;
  };
  return selectRows<Hold>(
      indexOf(archive),
      "SELECT h.artifact, h.reason, h.placed, h.until_day FROM hold AS h CROSS JOIN "
      "artifact_record AS a ON a.id = h.artifact ORDER BY a.build_day, a.name, a.id",
      read);
}

Result<std::optional<Date>> lastRetentionDay(const Archive& archive) {
  ASSIGN_OR_RETURN(
      const auto day,
      firstInteger(indexOf(archive), "SELECT day FROM retention_run ORDER BY id DESC LIMIT 1"));
  return day ? std::optional(dateOfDay(*day)) : std::nullopt;
}

Result<int64_t> beginRetentionRun(Archive& archive, Date today) {
  Archive::Implementation& self = archive.implementation();
  RETURN_IF_ERROR(self.inTransaction([&]() -> Status {
    RETURN_IF_ERROR(
        runWith(*self.database, "UPDATE leaving SET since_day = ?1 WHERE since_day > ?1", today));
    return runWith(*self.database,
                   "INSERT INTO retention_run (day, began, announced, withdrawn, removed) VALUES "
                   "(?, ?, 0, 0, 0)",
                   today, self.seconds());
  }));
  return self.database->lastRow();
}

Status endRetentionRun(Archive& archive, int64_t number, const RetentionRun& run) {
  return runWith(archive,
                 "UPDATE retention_run SET announced = ?, withdrawn = ?, removed = ? WHERE id = ?",
                 run.announced, run.withdrawn, run.removed, number);
}

Result<std::unordered_map<int64_t, Date>> announcedArtifacts(const Archive& archive) {
  std::unordered_map<int64_t, Date> announced;
  RETURN_IF_ERROR(visitRows(
      indexOf(archive), "SELECT artifact, since_day FROM leaving",
      [&](const Query& row) { announced.emplace(row.integer(0), dateOfDay(row.integer(1))); }));
  return announced;
}

Status announce(Archive& archive, int64_t artifact, Date today, const std::string& reason) {
  // Where the artifact is gone meanwhile nothing is announced.
  return runWith(archive, R"(
      INSERT OR IGNORE INTO leaving (artifact, since_day, reason)
      SELECT id, ?, ? FROM artifact WHERE id = ?)",
                 today, reason, artifact);
}

Status withdraw(Archive& archive, int64_t artifact) {
  return runWith(archive, "DELETE FROM leaving WHERE artifact = ?", artifact);
}

Result<std::vector<WaitingArtifact>> waitingArtifacts(const Archive& archive) {
  const auto read = [&](const Query& row) -> Result<WaitingArtifact> {
    ASSIGN_OR_RETURN(auto record, artifactOfRow(archive, row.integer(0)));
    return WaitingArtifact{std::move(record), dateOfDay(row.integer(1)), row.text(2)};
  };
  return selectRows<WaitingArtifact>(
      indexOf(archive),
      "SELECT artifact, since_day, reason FROM leaving ORDER BY since_day, artifact", read);
}

Result<std::optional<std::string>> holdOn(const Archive& archive, int64_t artifact, Date today) {
  std::optional<std::string> reason;
  RETURN_IF_ERROR(firstRow(indexOf(archive),
                           "SELECT reason FROM hold WHERE artifact = ? AND (until_day IS NULL OR "
                           "until_day >= ?)",
                           std::tie(reason), artifact, today));
  return reason;
}

Result<std::optional<int64_t>> removeArtifact(Archive& archive, const ArtifactInRow& artifact,
                                              const std::string& reason, bool withOutcomes) {
  Archive::Implementation& self = archive.implementation();
  Database& database = *self.database;
  const ArtifactRecord& record = artifact.record;
  std::optional<int64_t> removed;
  RETURN_IF_ERROR(self.inTransaction([&]() -> Status {
    ASSIGN_OR_RETURN(const auto kept,
                     firstInteger(database, R"(
        SELECT blob FROM artifact_record WHERE id = ? AND name = ? AND producer = ? AND
          build_day = ?)",
                                  artifact.row, record.name, record.producer, record.buildDate));
    const int64_t blob = kept.value_or(0);
    if (blob == 0) return {};  // The row is gone, or is another artifact's by now.
    for (const char* table : {"hold", "leaving"}) {
      RETURN_IF_ERROR(
          runWith(database, fmt::format("DELETE FROM {} WHERE artifact = ?", table), artifact.row));
    }
    ASSIGN_OR_RETURN(const auto found, signaturesOf(database, artifact.row));
    RETURN_IF_ERROR(deleteArtifact(database, artifact.row));
    ASSIGN_OR_RETURN(const auto outcomes, countOutcomes(database, blob, record.golden));
    removed = 0;
    if (withOutcomes) {
      ASSIGN_OR_RETURN(removed, removeOutcomes(archive, blob,
                                               fmt::format("{} of {}: {}", record.name,
                                                           record.producer, reason)));
    }
    std::optional<std::vector<std::byte>> golden;
    if (!record.golden.empty()) golden = hashBytes(record.golden);
    return runWith(database, R"(
        INSERT INTO removal (hash, golden, name, producer, build_day, primitive, case_id, removed,
          reason, outcomes, lists, signatures) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))",
                   hashBytes(record.id), golden, record.name, record.producer, record.buildDate,
                   record.primitive, record.caseId, self.seconds(), reason, outcomes,
                   found.lists.dump(), found.hashes.dump());
  }));
  return removed;
}

Result<std::vector<RecordedRemoval>> recordedRemovals(const Archive& archive, size_t longest) {
  const auto read = [](const Query& row) {
    return RecordedRemoval{
        hashText(row.blob(0)),     hashText(row.blob(1)),         row.text(2), row.text(3),
        dateOfDay(row.integer(4)), textOfSeconds(row.integer(5)), row.text(6), row.text(7)};
  };
  return selectRows<RecordedRemoval>(
      indexOf(archive),
      "SELECT hash, golden, name, producer, build_day, removed, reason, outcomes FROM removal "
      "ORDER BY id DESC LIMIT ?",
      read, static_cast<int64_t>(longest));
}

Result<bool> wasRemoved(const Archive& archive, std::string_view name, std::string_view producer) {
  return firstRow(indexOf(archive), "SELECT 1 FROM removal WHERE name = ? AND producer = ?",
                  std::tie(), name, producer);
}

}  // namespace vintage::archive

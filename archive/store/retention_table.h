// The state of retention: holds, announcements, runs of retention, removals. archive/retention
// decides by a policy; each call that writes joins the transaction that its caller began
// (Archive::writeTogether).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/date.h"

namespace vintage::archive {

// A single artifact that stays whatever a policy says.
struct Hold {
  ArtifactRecord artifact;
  std::string reason;
  std::string placed;         // "2026-11-20T21:50:00Z"
  std::optional<Date> until;  // The last day; empty: until it is released.

  bool covers(Date today) const { return !until || today <= *until; }
};
// Replaces the artifact's hold. kUsage without a reason; kNotFound where the
// artifact went meanwhile.
Status placeHold(Archive& archive, const ArtifactRecord& artifact, const std::string& reason,
                 std::optional<Date> until);
// kNotFound where there is none.
Status releaseHold(Archive& archive, const ArtifactRecord& artifact);
// By build date and name; those that are over as well.
Result<std::vector<Hold>> allHolds(const Archive& archive);

// The date that the last run of retention went by; none before the first.
Result<std::optional<Date>> lastRetentionDay(const Archive& archive);
// The counts of a run; the row of a killed run has zeros.
struct RetentionRun {
  int64_t announced = 0, withdrawn = 0, removed = 0;
};
// Returns the run's number. Announcements of later days are of today from now on.
Result<int64_t> beginRetentionRun(Archive& archive, Date today);
Status endRetentionRun(Archive& archive, int64_t number, const RetentionRun& run);

// Newest builds first, in pages, of those that are there at the beginning; `total` is how many.
Status visitNewestFirst(
    const Archive& archive,
    const std::function<Status(std::span<const ArtifactInRow>, int64_t total)>& visit);

// Rows of artifacts that were announced, and since which day.
Result<std::unordered_map<int64_t, Date>> announcedArtifacts(const Archive& archive);
Status announce(Archive& archive, int64_t artifact, Date today, const std::string& reason);
Status withdraw(Archive& archive, int64_t artifact);
// An announced artifact, by the day of its announcement.
struct WaitingArtifact {
  ArtifactRecord record;
  Date since{};
  std::string reason;
};
Result<std::vector<WaitingArtifact>> waitingArtifacts(const Archive& archive);

// The reason of a hold that covers the day.
Result<std::optional<std::string>> holdOn(const Archive& archive, int64_t artifact, Date today);

// Removes an artifact and records that, with its signatures' hashes. `withOutcomes`: also outcomes
// with goldens that no artifact of these bytes names any more. Returns how many outcomes went; none
// where the artifact was gone already.
Result<std::optional<int64_t>> removeArtifact(Archive& archive, const ArtifactInRow& artifact,
                                              const std::string& reason, bool withOutcomes);
// Removals, newest first.
struct RecordedRemoval {
  ContentId artifact, golden;
  std::string name, producer;
  Date buildDate{};
  std::string removed;  // "2026-11-20T21:50:00Z"
  std::string reason;
  std::string outcomes;  // JSON: how many of each kind were recorded: {"pass": 120}
};
Result<std::vector<RecordedRemoval>> recordedRemovals(const Archive& archive, size_t longest);
// Whether retention removed an artifact of this name.
Result<bool> wasRemoved(const Archive& archive, std::string_view name, std::string_view producer);

}  // namespace vintage::archive

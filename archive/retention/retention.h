// Removes what a policy does not keep, in two phases: an artifact that no rule keeps is
// announced, and goes when it has waited, if a later run finds that still no rule keeps it
// and that nothing holds on to it. Records go here; their contents go when nothing names
// them any more (archive/store/collect.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/retention/policy.h"
#include "archive/store/archive.h"
#include "archive/store/retention_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct LeavingArtifact {
  const ArtifactRecord& record;
  std::string reason;
  enum class State { kHeld, kInUse, kWaits, kGoes };
  State state = State::kWaits;
  std::string heldBy{};  // The hold's reason.
  Date goes{};           // The first day on which it can go.
};

struct RetentionOptions {
  RetentionPolicy policy = defaultRetentionPolicy();
  Date today{};
  bool dryRun = false;  // Decides and reports; changes nothing.
  // A person says that `today` is right, though it is far from the last run's.
  bool dateIsConfirmed = false;
  // Each artifact that no rule keeps, newest build first.
  std::function<void(const LeavingArtifact&)> visit;
  std::function<void(size_t done, size_t total)> progress;
};

struct RetentionSummary {
  int64_t artifacts = 0;  // That were looked at.
  int64_t removed = 0;    // Or would be.
  int64_t announced = 0;  // In this run.
  int64_t waiting = 0;    // Announced, in this run or before, and not gone.
  int64_t withdrawn = 0;  // Announced before; now a rule or a hold keeps them.
  int64_t held = 0;
  int64_t inUse = 0;                      // Due, and stay for a lease on their content.
  int64_t outcomesRemoved = 0;            // Not counted in a dry run.
  std::map<std::string, int64_t> keptBy;  // By the rule's name.
};

// kUsage where the last run's date is later than `today`, or earlier by more than the
// policy's pause, and nobody has confirmed the date: a clock that jumped would empty the
// archive. Others may read, put and collect meanwhile; what they put after its turn
// stays. Each removal is recorded with its reason. Removals are durable in
// groups: an interrupted call has removed some, each of them completely.
Result<RetentionSummary> applyRetention(Archive& archive, const RetentionOptions& options);

// Holds that leave their archive with a copy: what must not go there must not go here.
struct TravellingHold {
  std::string name, producer;  // The artifact's.
  std::string reason;
  std::optional<Date> until;  // The last day; empty: until it is released.

  // Whether nothing would change where this one is placed already.
  bool covers(const TravellingHold& other) const {
    return !until || (other.until && *other.until <= *until);
  }
};
nlohmann::json recordJson(const TravellingHold& hold);
Result<TravellingHold> travellingHoldOfJson(const nlohmann::json& json);

Result<std::vector<TravellingHold>> travellingHolds(const Archive& archive);
// Never shortens a hold. kNotFound where the artifact is not kept.
Status putTravellingHold(Archive& archive, const TravellingHold& hold);

}  // namespace vintage::archive

// The rules by which an archive keeps artifacts, as data. Each rule keeps some artifacts; an
// artifact that no rule keeps may go. The file's form is docs/howto/retention.md.
//
// Retention removes it in two phases. A run announces it; a run after the waiting time removes it,
// if still no rule and no hold keeps it. Records go here; their contents go when neither a record
// nor a lease names them any more (archive/store/collect.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "archive/store/retention_table.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct RetentionRule {
  std::string name;  // For people: what it is for.
  enum class Keep {
    kAll,     // All artifacts that the rule applies to.
    kAge,     // Artifacts that were built at most `days` before today.
    kNewest,  // The `count` newest of each group that `per` makes.
  };
  Keep keep = Keep::kAll;
  int days = 0;
  int count = 0;
  std::vector<std::string> per{};  // Names from groupKeys().

  // The artifacts that the rule applies to; every field that is set must match. GLOB patterns.
  std::vector<std::string> names{}, primitives{}, platforms{}, variants{}, producers{};
  std::optional<bool> imported{};  // Made by others, rather than exported from a case.
};

struct RetentionPolicy {
  std::vector<RetentionRule> rules;
  // Recorded results of what goes. kKeep: they stay, and so does the row of the
  // content that they are of. kRemove: they go with the last artifact that they
  // are of; how many there were stays in the list of removals.
  enum class Outcomes { kKeep, kRemove };
  Outcomes outcomes = Outcomes::kKeep;
  // An artifact that no rule keeps is announced first. It is removed after so many days, if still
  // no rule keeps it.
  int waitDays = 14;
  // How far the date may be from the last run's before a person has to confirm it.
  int longestPauseDays = 40;
};

// Keeps imported artifacts, artifacts inside the backward window, and one of each case and platform
// a month.
const RetentionPolicy& defaultRetentionPolicy();

// kBadInput names the place, what was found and what would be accepted. `file`
// begins the messages.
Result<RetentionPolicy> parseRetentionPolicy(std::string_view json, std::string_view file);
std::string retentionPolicyText(const RetentionPolicy& policy);  // Which that accepts.

// "name", "case", "primitive", "platforms", "variant", "producer", and the spans
// of time "day", "week" (from Monday), "month", "quarter", "year".
std::vector<std::string> groupKeys();

// Decides artifact by artifact. They have to come newest build first: a rule
// that keeps the newest of each group counts them as they come.
class RetentionDecision {
 public:
  RetentionDecision(const RetentionPolicy& policy, Date today) : policy_(policy), today_(today) {
    states_.resize(policy.rules.size());
  }
  // Why no rule keeps the artifact; empty where it stays. An artifact built after today stays.
  std::string reasonToGo(const ArtifactRecord& record);
  // How many artifacts each rule kept; the first rule that keeps an artifact counts it.
  const std::map<std::string, int64_t>& keptBy() const { return keptBy_; }

 private:
  struct State {
    std::string span;  // The groups below belong to it; later artifacts never do.
    std::map<std::string, int> counts;
  };
  std::optional<std::string> refusal(const RetentionRule& rule, State& state,
                                     const ArtifactRecord& record) const;

  const RetentionPolicy& policy_;
  Date today_;
  std::vector<State> states_;
  std::map<std::string, int64_t> keptBy_;
};

struct LeavingArtifact {
  const ArtifactRecord& record;
  std::string reason;
  enum class State { kHeld, kWaits, kGoes };
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
  int64_t outcomesRemoved = 0;            // Not counted in a dry run.
  std::map<std::string, int64_t> keptBy;  // By the rule's name.
};

// kUsage where the last run's date is later than `today`, or earlier by more than the
// policy's pause, and nobody has confirmed the date: a clock that jumped would empty the
// archive. Others may read, put and collect meanwhile; what they put after its turn
// stays. Each removal is recorded with its reason. Removals are durable in
// groups: an interrupted call has removed some, each of them completely.
Result<RetentionSummary> applyRetention(Archive& archive, const RetentionOptions& options);

// Holds leave their archive with a copy: what must not go there must not go here. A hold names its
// artifact by name and producer.
nlohmann::json recordJson(const Hold& hold);
Result<Hold> holdOfJson(const nlohmann::json& json);

// Whether a hold would change nothing where this one is placed already.
bool lastsAsLong(const Hold& placed, const Hold& hold);
// Never shortens a hold. kNotFound where the artifact is not kept.
Status putTravellingHold(Archive& archive, const Hold& hold);

}  // namespace vintage::archive

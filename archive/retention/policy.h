// What an archive keeps, as data: rules, each of which keeps some artifacts. An
// artifact that no rule keeps may go. The file's form is docs/retention.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct RetentionRule {
  std::string name;  // For people: what it is for.
  enum class Keep {
    kAll,     // Whatever the rule applies to.
    kAge,     // What was built at most `days` before today.
    kNewest,  // The `count` newest of each group that `per` makes.
  };
  Keep keep = Keep::kAll;
  int days = 0;
  int count = 0;
  std::vector<std::string> per{};  // Names from groupKeys().

  // What the rule applies to; every field that is set must match.
  // GLOB patterns.
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
  // What no rule keeps is announced first. It goes when it has waited so many days, where
  // still no rule keeps it.
  int waitDays = 14;
  // How far the date may be from the last run's before a person has to confirm it.
  int longestPauseDays = 40;
};

// What was imported; what lies inside the backward window; then one of each
// case and platform a month.
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
  // Empty where the artifact stays; otherwise why no rule keeps it. What was
  // built after today stays.
  std::string reasonToGo(const ArtifactRecord& record);
  // How many each rule kept, the first of them that did.
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

}  // namespace vintage::archive

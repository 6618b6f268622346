// What a rule of the gate found in a change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"

namespace vintage::harness {

// The three results of the gate, and how far one finding alone pushes it.
enum class GateResult { kAllowed, kNeedsReview, kForbidden };
const char* gateResultName(GateResult result);  // "allowed", "needs review", "forbidden"

// When something becomes legal, with the sum that gives the day:
// "2024-09-11 (jaxlib 0.4.32) + 180 days".
struct LegalDate {
  Date date{};
  std::string sum;
};

// What recorded runs say of a finding: its artifacts on one build that it says they break on.
struct RecordedRuns {
  std::string build;
  size_t ran = 0, failed = 0;  // Failed: as the finding says, and not otherwise.
  // What the release itself exports for the target fails there too: it shows nothing.
  bool failsAtHome = false;
  std::string artifact, message;  // One that failed, and the first line of what was said.
};

// A target on a platform, and the instance of a finding about it: "lapack_sgetrf@cpu".
struct PlacedTarget {
  std::string name, platform;
  std::string instance() const { return name + "@" + platform; }
  // The platform is empty where the instance names none.
  static PlacedTarget ofInstance(const std::string& instance) {
    const size_t at = instance.rfind('@');
    return {instance.substr(0, at), at == instance.npos ? "" : instance.substr(at + 1)};
  }
  auto operator<=>(const PlacedTarget&) const = default;
};

struct Finding {
  std::string rule;  // Rule::id
  // What it is about, as a waiver names it: "lapack_sgetrf@cpu", "calling_convention".
  std::string instance;
  GateResult severity = GateResult::kForbidden;
  // From what to what, where rule and instance do not say it: "from 4 to 9". Another change is
  // another finding to a waiver.
  std::string change;
  std::string message;  // Complete sentences: what was found and what would be accepted.
  // What the change would break, sorted by build date and name.
  std::vector<archive::ArtifactRecord> artifacts;
  std::vector<std::string> consumers;  // Builds that would break, by name.
  // Builds on which the artifacts run all the same, as it says, by name.
  std::vector<std::string> stillRunsOn;
  std::vector<std::string> exporters;  // Releases whose exports show it, by name.
  int exportedAs = 0;  // The calling convention in which they do; 0: their default.
  std::string refused;  // What the message of a run names that shows it; empty: any failure does.
  bool runsDecide = false;  // No description says it: where the runs went well, nothing breaks.
  std::vector<RecordedRuns> measured;  // Empty: it was only computed.
  std::optional<LegalDate> legal;      // Empty: waiting does not make it legal.
  // What its line in a description begins with, for reports that point into a file.
  std::string anchor;
  bool inOld = false;  // The anchor is in OLD, not in NEW.
  // Set where a waiver covers it.
  std::string waiver;
  // Set where one is for its rule and instance and does not: what differs.
  std::string notWaived;
};

}  // namespace vintage::harness

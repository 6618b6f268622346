// What a rule of the gate found, what it asks an archive, and the change that it judges with
// everything that is known about it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/runtime_description.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::harness {

// The three results of the gate, and how far one finding alone pushes it.
enum class GateResult { kAllowed, kNeedsReview, kForbidden };
const char* gateResultName(GateResult result);  // "allowed", "needs review", "forbidden"

// When something becomes legal, with the sum that gives the day:
// "2024-09-11 (jaxlib 0.4.32) + 180 days".
struct LegalDate {
  Date date{};
  std::string sum;
  std::string text() const { return formatDate(date) + " = " + sum; }
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
  int exportedAs = 0;                  // The calling convention in which they do; 0: their default.
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

// What the gate asks an archive; this one is empty. An interface, so that a rule's test needs no
// archive.
class ArchivedFacts {
 public:
  virtual ~ArchivedFacts() = default;
  // In order of (build date, name).
  virtual Result<std::vector<archive::ArtifactRecord>> artifacts(const archive::ArtifactFilter&) {
    return std::vector<archive::ArtifactRecord>();
  }
  // The custom-call targets whose safety check the artifact's exporter had
  // switched off. kUnsupported where it is not an Exported.
  virtual Result<std::vector<std::string>> disabledTargets(const archive::ArtifactRecord&) {
    return std::vector<std::string>();
  }
  // The newest outcome of each artifact on this build.
  virtual Result<std::vector<archive::OutcomeRecord>> outcomes(const std::string&) {
    return std::vector<archive::OutcomeRecord>();
  }
};

// `archive` must outlive it. Artifacts are found through the archive's index;
// the answer to a filter is kept, since several rules ask the same.
std::unique_ptr<ArchivedFacts> archivedFacts(const archive::Archive& archive);

struct Change {
  archive::RuntimeDescription before, after;
  Date today{};                      // When `after` is to be built.
  std::optional<Date> clock = {};    // The day by the clock: waivers run out by it. None: `today`.
  std::vector<archive::RuntimeDescription> builds;  // By date.
  ArchivedFacts* archive = nullptr;  // Required.
  // The names under which the archive knows runs on a runtime, by the runtime's name: a release
  // of JAX runs warm and fresh.
  std::map<std::string, std::vector<std::string>> registeredAs;
  // The change lies in the past, and what happened after `today` counts too:
  // whether a target that was listed then got its golden in time.
  bool hindsight = false;
  // A guarantee needs a golden in this archive. Not where it only holds what shows findings.
  bool goldensNeeded = true;
  archive::WindowPolicy policy = archive::jaxPolicy();

  archive::PromiseRule backward() const { return policy.promise(archive::Promise::kBackward); }
  archive::PromiseRule forward() const { return policy.promise(archive::Promise::kForward); }

  // For this platform, else for any.
  static const archive::RegisteredTarget* find(const archive::RuntimeDescription& in,
                                               std::string_view target, std::string_view platform);
  // What `target` of `after` is in `before`; one for any platform is known if each platform of
  // `after` has it there.
  const archive::RegisteredTarget* was(const archive::RegisteredTarget& target) const;
  static const archive::StableTarget* stable(const archive::RuntimeDescription& in,
                                             std::string_view target);
  // T_NEW of T: the registered target that says it replaces `target`, in either description.
  const archive::RegisteredTarget* successorOf(std::string_view target) const;
  // The first runtime released on or after `from` that is known to hold
  // `target`; where releases do not list their targets, the first one later than `from`.
  const archive::RuntimeDescription* firstRelease(Date from, std::string_view target) const;
  // The newest runtime up to `until` that guarantees `target`.
  const archive::RuntimeDescription* lastReleaseWith(std::string_view target, Date until) const;
};

// "1 artifact", "12 artifacts"
std::string counted(size_t count, const char* noun);
// "1 day", "12 days" from the one to the other.
inline std::string daysBetween(Date from, Date until) {
  return counted(static_cast<size_t>((until - from).count()), "day");
}

// "lapack_sgetrf@cpu"; without a platform where the target is for any.
std::string instanceOf(const archive::RegisteredTarget& target);

// `from` plus the rule's span, with the sum: "2024-09-11 (jaxlib 0.4.32) + 180 days".
LegalDate after(Date from, std::string_view what, const archive::PromiseRule& rule);
// The first day on which what was built on `built` is inside the rule's window
// no more: an artifact of the backward one, a consumer of the forward one.
LegalDate outOfWindow(Date built, std::string_view what, const archive::PromiseRule& rule);
// Keeps the later one: what two of them forbid is legal when neither does any more.
void later(std::optional<LegalDate>& kept, LegalDate other);

// The artifacts of the backward window of `today`, and those of them that call `target` on
// `platform`.
archive::ArtifactFilter windowFilter(const Change& change);
Result<std::vector<archive::ArtifactRecord>> artifactsInWindow(const Change& change,
                                                               std::string_view target,
                                                               std::string_view platform);

// Dated builds and releases besides the two that are compared: they say when a consumer could first
// read something.
//
// The releases of a list (archive/records/release_list.h) by date, without
// candidates. From the version on at which jaxlib bears no tags of its own, a jax
// whose minimum jaxlib is its own version was released with that jaxlib on the
// same day; any other jax brought none.
Result<std::vector<archive::RuntimeDescription>> parseReleases(std::string_view text,
                                                               std::string_view name);

// What the archive's record says of a build.
archive::RuntimeDescription knownBuild(const archive::BuildRecord& build);

// Whether their names say so, "jax 0.5.0" and "jax-0.6.0", or both bring a jaxlib.
bool isOneProduct(const archive::RuntimeDescription& one, const archive::RuntimeDescription& other);

// By date, then name.
void sortByDate(std::vector<archive::RuntimeDescription>& builds);

}  // namespace vintage::harness

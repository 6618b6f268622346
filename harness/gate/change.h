// The findings of the gate's rules, their questions to an archive, and the change that they judge,
// with all known facts about it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/runtime_description.h"
#include "archive/records/speed_report.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/counted.h"
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

// The recorded runs of a finding: its artifacts on one of the builds that it says they break on.
struct RecordedRuns {
  std::string build;
  size_t ran = 0, failed = 0;  // `failed` counts only failures of the kind that the finding names.
  // The artifacts fail on the release that exported them, too: the runs prove nothing.
  bool failsAtHome = false;
  std::string artifact, message;  // A failing one, and the first line of its message.
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
  // The subject, as a waiver names it: "lapack_sgetrf@cpu", "calling_convention".
  std::string instance;
  GateResult severity = GateResult::kForbidden;
  // The old and the new value, where rule and instance do not say it: "from 4 to 9". A waiver does
  // not cover a finding with another change.
  std::string change;
  std::string message;  // Complete sentences: what was found and what would be accepted.
  // The artifacts that the change would break, sorted by build date and name.
  std::vector<archive::ArtifactRecord> artifacts;
  std::vector<std::string> consumers;  // Builds that would break, by name.
  // Builds on which, by this finding, the artifacts still run, by name.
  std::vector<std::string> stillRunsOn;
  std::vector<std::string> exporters;  // Releases whose exports show the break, by name.
  int exportedAs = 0;       // The calling convention of these exports; 0: the exporter's default.
  std::string refused;      // The failure's message must contain this; empty: any failure counts.
  bool runsDecide = false;  // Descriptions cannot prove it: it holds only if runs fail.
  std::vector<RecordedRuns> measured;   // Empty: it was only computed.
  std::optional<LegalDate> legal;       // Empty: waiting does not make it legal.
  std::optional<archive::Ratio> ratio;  // For speed: NEW's value divided by OLD's.
  // The start of its line in a description, for reports that point into a file.
  std::string anchor;
  bool inOld = false;  // The anchor is in OLD, not in NEW.
  // The waiver that covers it; empty: none.
  std::string waiver;
  // How it differs from a waiver with the same rule and instance that does not cover it; empty:
  // none.
  std::string notWaived;
};

// The gate's view of an archive; this one is empty. An interface, so that a rule's test needs no
// archive.
class ArchivedFacts {
 public:
  virtual ~ArchivedFacts() = default;
  // In order of (build date, name).
  virtual Result<std::vector<archive::ArtifactRecord>> artifacts(const archive::ArtifactFilter&) {
    return std::vector<archive::ArtifactRecord>();
  }
  // The custom-call targets whose safety check the artifact's exporter had switched off.
  // kUnsupported if it is not an Exported.
  virtual Result<std::vector<std::string>> disabledTargets(const archive::ArtifactRecord&) {
    return std::vector<std::string>();
  }
  // The newest outcome of each artifact on this build.
  virtual Result<std::vector<archive::OutcomeRecord>> outcomes(const std::string&) {
    return std::vector<archive::OutcomeRecord>();
  }
};

// `archive` must outlive it. Finds artifacts through the archive's index, and keeps the result of
// each filter, since several rules use the same ones.
std::unique_ptr<ArchivedFacts> archivedFacts(const archive::Archive& archive);

struct Change {
  archive::RuntimeDescription before, after;
  Date today{};                    // When `after` is to be built.
  std::optional<Date> clock = {};  // Today by the clock, for the expiry of waivers. None: `today`.
  std::vector<archive::RuntimeDescription> builds;  // By date.
  ArchivedFacts* archive = nullptr;                 // Required.
  // The names of the archive's builds for each runtime: a release of JAX is registered as a warm
  // and a fresh build.
  std::map<std::string, std::vector<std::string>> registeredAs;
  // The change lies in the past, and facts after `today` count too: whether a listed target got its
  // golden in time.
  bool hindsight = false;
  // Whether a guarantee needs a golden in this archive. False for an archive that only demonstrates
  // findings.
  bool goldensNeeded = true;
  std::optional<archive::JudgedSpeed> speed;  // NEW beside OLD; none: nobody asked for it.
  archive::WindowPolicy policy = archive::jaxPolicy();

  archive::PromiseRule backward() const { return policy.promise(archive::Promise::kBackward); }
  archive::PromiseRule forward() const { return policy.promise(archive::Promise::kForward); }

  // The target for this platform, else for any.
  static const archive::RegisteredTarget* find(const archive::RuntimeDescription& in,
                                               std::string_view target, std::string_view platform);
  // The entry of `before` for `target`, an entry of `after`. An entry for any platform is known if
  // `before` has it for each platform of `after`.
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

// "1 day", "12 days": from the first date to the second.
inline std::string daysBetween(Date from, Date until) {
  return counted((until - from).count(), "day");
}

// "lapack_sgetrf@cpu"; without a platform where the target is for any.
std::string instanceOf(const archive::RegisteredTarget& target);

// `from` plus the rule's span, with the sum: "2024-09-11 (jaxlib 0.4.32) + 180 days".
LegalDate after(Date from, std::string_view what, const archive::PromiseRule& rule);
// The first day on which a build of `built` has left the rule's window: an artifact the backward
// one, a consumer the forward one.
LegalDate outOfWindow(Date built, std::string_view what, const archive::PromiseRule& rule);
// Keeps the later date: a change that two of them forbid is legal from the later one on.
void later(std::optional<LegalDate>& kept, LegalDate other);

// The artifacts of the backward window of `today`, and those among them that call `target` on
// `platform`.
archive::ArtifactFilter windowFilter(const Change& change);
Result<std::vector<archive::ArtifactRecord>> artifactsInWindow(const Change& change,
                                                               std::string_view target,
                                                               std::string_view platform);

// Dated builds and releases besides the two that are compared: they show when a consumer could
// first read something.
//
// The releases of a list (archive/records/release_list.h) by date, without candidates. From the
// version on at which jaxlib has no tags of its own, a jax whose minimum jaxlib equals its own
// version was released with that jaxlib on the same day; any other jax was released without one.
Result<std::vector<archive::RuntimeDescription>> parseReleases(std::string_view text,
                                                               std::string_view name);

// The description in the archive's record of a build.
archive::RuntimeDescription knownBuild(const archive::BuildRecord& build);

// Whether both are one product: by their names ("jax 0.5.0" and "jax-0.6.0"), or because both
// contain a jaxlib.
bool isOneProduct(const archive::RuntimeDescription& one, const archive::RuntimeDescription& other);

// By date, then name.
void sortByDate(std::vector<archive::RuntimeDescription>& builds);

}  // namespace vintage::harness

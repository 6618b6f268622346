// Judges a change of a runtime: every rule, then recorded runs, then the waivers.
//
// A rule has a stable id, a severity, a section of documentation (docs/gate/rules.md) and a check.
// A waiver is an accepted finding: its facts, with a reason and an expiry (docs/gate/waivers.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/gate/change.h"

namespace vintage::harness {

struct Rule {
  const char* id;
  // The severity of its findings, unless the check lowers it or a policy forbids one.
  GateResult severity;
  const char* summary;  // One sentence: what must hold.
  // Where the promise is written: "compatibility guarantees for custom calls".
  const char* source;
  // Null for the rules about waivers, which are judged after the others.
  Status (*check)(const Change& change, std::vector<Finding>& findings);

  // "docs/gate/rules.md#target-removed-in-use"
  std::string page() const { return std::string("docs/gate/rules.md#") + id; }
};

// The rules of rules.inc, then those about waivers. Never renamed: waivers refer to them.
std::span<const Rule> gateRules();
const Rule* findRule(std::string_view id);

// The checks, in harness/gate/rules.
#define RULE(id, severity, summary, source, check) \
  Status check(const Change& change, std::vector<Finding>& findings);
#include "harness/gate/rules.inc"
#undef RULE

struct Waiver {
  std::string rule, instance, reason;
  Date expires{};  // The last day on which it holds.
  // The accepted facts. The waiver does not cover a finding with another change, more artifacts, a
  // later legal day, no legal day any more, or a ratio that is known to be larger.
  std::string change;  // Finding::change
  int artifacts = 0;   // Artifacts that would break.
  std::optional<Date> legal;
  std::optional<double> times = {};  // Of a finding of speed: how many times; none: any.
};

// kBadInput for an unknown rule, a rule about waivers, a missing reason or
// expiry, or two waivers of one change.
Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name);

// A file of waivers for findings that no waiver covers yet. Reasons are left empty for a person to
// fill in; a file with an empty reason is rejected.
nlohmann::ordered_json waiversFor(const std::vector<Finding>& findings, Date expires);

// Marks the findings that waivers cover. Adds findings of the rules "waiver-expired" and
// "waiver-unused"; an expired waiver covers nothing. `today` is the day by the clock, even if the
// change is judged as of another day. An allowed finding of "waiver-expired" announces a waiver
// that expires within 14 days.
void applyWaivers(const std::vector<Waiver>& waivers, Date today, std::vector<Finding>& findings);

// Judges the builds between OLD and NEW: targets that NEW lacks and one of them had, and targets
// that were missing in one of them. The latter need review at most, since NEW has them again. Adds
// to `findings` what comparing OLD with NEW did not already find.
Status judgeBuildsBetween(const Change& change, std::vector<Finding>& findings);

// Fills in `measured` for a finding that names artifacts and the runtimes that break them.
Status quoteRuns(const Change& change, Finding& finding);
// "measured on jax-0.6.0: 4 of 4 fail; lu_f32/cpu: 'No registered implementation …'"
std::string measuredText(const Finding& finding, const std::string& indent);
// A finding that only runs can decide becomes allowed, without broken artifacts, if the runs
// passed.
void judgeByRuns(Finding& finding);
// Confirmed: at least one recorded run fails in the finding's way. Contradicted: there are runs,
// and none does. If the finding says that the artifacts still run, every run must pass.
bool isConfirmed(const Finding& finding);
bool isContradicted(const Finding& finding);

// One date of the process that replaces a target, a calling convention or a serialization version.
struct CalendarEntry {
  std::optional<Date> date;  // Empty: it follows a release whose date is not known yet.
  std::string subject;       // "lapack_sgetrf -> lapack_sgetrf_ffi"
  std::string what;          // "exports may call lapack_sgetrf_ffi"
  std::string sum;           // "2024-08-02 (D) + 21 days"; empty for a recorded fact.
};

// For each new target that replaces another, and each version range that grows. By date; entries
// without one come last.
std::vector<CalendarEntry> calendarOf(const Change& change);

struct GateVerdict {
  GateResult result = GateResult::kAllowed;
  std::vector<Finding> findings;  // In order of rule, then instance.
  std::vector<Finding> notes;     // Rules that could not be judged, and why. No effect on results.
  // The day from which on the whole change is legal. Empty: nothing is forbidden, or waiting alone
  // does not help.
  std::optional<LegalDate> legal;
  std::vector<CalendarEntry> calendar;
  std::string remark;  // A reason why the result is weaker than it seems; empty: none.

  size_t count(GateResult severity) const;  // Without waived findings.
};

// The verdict of these findings, before any waiver.
GateVerdict concluded(std::vector<Finding> findings);

// Fails where the archive cannot be read or a description is not usable.
Result<GateVerdict> judge(const Change& change, const std::vector<Waiver>& waivers);

}  // namespace vintage::harness

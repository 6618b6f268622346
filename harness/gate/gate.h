// Judges a change of a runtime: every rule, then recorded runs, then the waivers.
//
// A rule has a stable id, says how far it pushes the result, and has a page of documentation
// (docs/gate/ID.md) and a check. A waiver is a finding that people accept: what was seen, with a
// reason and an expiry (docs/gate/waivers.md).
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
  // Its findings' severity, unless the check lowers one.
  GateResult severity;
  const char* summary;  // One sentence: what must hold.
  // Where the promise is written: "compatibility guarantees for custom calls".
  const char* source;
  // Null for the rules about waivers, which are judged after the others.
  Status (*check)(const Change& change, std::vector<Finding>& findings);

  // "docs/gate/target-removed-in-use.md"
  std::string page() const { return std::string("docs/gate/") + id + ".md"; }
};

// Those of rules.inc, then those about waivers. Never renamed: waivers name them.
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
  // What was seen. A finding of another change, with more artifacts, with a later legal day or
  // with none any more is not covered.
  std::string change;  // Finding::change
  int artifacts = 0;   // That would break.
  std::optional<Date> legal;
};

// kBadInput for an unknown rule, a rule about waivers, a missing reason or
// expiry, or two waivers of one change.
Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name);

// A file of waivers for what no waiver covers yet. Reasons are left empty, and a file without
// them is refused: a person fills them in.
nlohmann::ordered_json waiversFor(const std::vector<Finding>& findings, Date expires);

// Marks what they cover. Findings of the rules "waiver-expired" and "waiver-unused" are added; an
// expired one covers nothing. `today` is the day by the clock, whatever day the change is judged
// as of. An allowed finding of "waiver-expired" says what runs out in 14 days or fewer.
void applyWaivers(const std::vector<Waiver>& waivers, Date today, std::vector<Finding>& findings);

// What the builds between OLD and NEW show: what NEW lacks of theirs, and what was missing in one
// of them. The latter, which NEW has again, needs review at most. Added to `findings` where those
// do not say the same of OLD and NEW.
Status judgeBuildsBetween(const Change& change, std::vector<Finding>& findings);

// Fills in `measured` of a finding that names artifacts and the runtimes that it breaks.
Status quoteRuns(const Change& change, Finding& finding);
// "measured on jax-0.6.0: 4 of 4 fail; lu_f32/cpu: 'No registered implementation …'"
std::string measuredText(const Finding& finding, const std::string& indent);
// A finding that only runs can decide is allowed where they went well, and breaks nothing then.
void judgeByRuns(Finding& finding);
// At least one recorded run went as the finding says, or none did although some ran. Where it
// says that the artifacts still run, every run has to.
bool isConfirmed(const Finding& finding);
bool isContradicted(const Finding& finding);

// What becomes legal when: a day of the process by which a target, a calling
// convention or a serialization version is replaced.
struct CalendarEntry {
  std::optional<Date> date;  // Empty: after a release that is not known yet.
  std::string subject;       // "lapack_sgetrf -> lapack_sgetrf_ffi"
  std::string what;          // "exports may call lapack_sgetrf_ffi"
  std::string sum;           // "2024-08-02 (D) + 21 days"; empty where the day is a fact.
};

// For the targets that the change adds, of those that replace others, and of
// version ranges that grow. By date; what has none comes last.
std::vector<CalendarEntry> calendarOf(const Change& change);

struct GateVerdict {
  GateResult result = GateResult::kAllowed;
  std::vector<Finding> findings;  // In order of rule, then instance.
  std::vector<Finding> notes;     // Rules that could not be judged, and why. They decide nothing.
  // The day on which nothing forbids the whole change any more. Empty: none is
  // forbidden, or waiting alone does not help.
  std::optional<LegalDate> legal;
  std::vector<CalendarEntry> calendar;
  std::string remark;  // What makes the result mean less than it seems; empty: nothing.

  size_t count(GateResult severity) const;  // Without what is waived.
};

// What findings come to, before any waiver.
GateVerdict concluded(std::vector<Finding> findings);

// Fails where the archive cannot be read or a description is not usable.
Result<GateVerdict> judge(const Change& change, const std::vector<Waiver>& waivers);

}  // namespace vintage::harness

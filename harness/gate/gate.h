// Judges a change of a runtime: every rule, then the waivers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/gate/change.h"
#include "harness/gate/rule.h"
#include "harness/gate/waivers.h"

namespace vintage::harness {

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

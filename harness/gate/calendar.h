// What becomes legal when: the days of the process by which a target, a calling
// convention or a serialization version is replaced.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/gate/change.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

struct CalendarEntry {
  std::optional<Date> date;  // Empty: after a release that is not known yet.
  std::string subject;       // "lapack_sgetrf -> lapack_sgetrf_ffi"
  std::string what;          // "exports may call lapack_sgetrf_ffi"
  std::string sum;           // "2024-08-02 (D) + 21 days"; empty where the day is a fact.
};

// For the targets that the change adds, of those that replace others, and of
// version ranges that grow. By date; what has none comes last.
std::vector<CalendarEntry> calendarOf(const Change& change);

}  // namespace vintage::harness::gate

// The promises between builds of different dates, as data.
//
// A policy file (docs/window.md):
//   {"format": "vintage window policy", "version": 1, "name": "jax",
//    "promises": [{"name": "backward", "direction": "backward", "days": 180},
//                 {"name": "forward", "direction": "forward", "days": 21}],
//    "default_bump_days": 30,
//    "speed": {"run": 2.0, "compile": 3.0, "memory": 2.0}}
// A span is given in days, months or years. "formats" limits a promise to
// some artifacts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/records.h"
#include "archive/records/speed_promise.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

enum class Promise { kBackward, kForward };
std::string_view promiseName(Promise promise);  // "backward", "forward"

struct DateRange {
  Date first, last;  // Inclusive.
  bool contains(Date date) const { return first <= date && date <= last; }
};

struct PromiseRule {
  std::string name;  // "backward", "forward"; unique in a policy.
  Promise direction = Promise::kBackward;
  int days = 0, months = 0, years = 0;  // At most one of them is set; none: nothing is promised.
  std::vector<ArtifactRecord::Format> formats;  // Empty: all.

  // The days on which a consumer may have been built, for a producer built on
  // `producer`: from that day to the end of the span (backward), or from the
  // beginning of the span to the day before (forward). Both ends are inside. A
  // month or year ends on the same day of the month, or on the month's last.
  DateRange consumers(Date producer) const;
  DateRange producers(Date consumer) const;  // The same, seen from a consumer.
  Date plus(Date date) const;                // The span later.
  bool appliesTo(ArtifactRecord::Format format) const;
  std::string span() const;  // "180 days", "5 years"
  bool operator==(const PromiseRule&) const = default;
};

struct WindowPolicy {
  std::string name;
  std::vector<PromiseRule> promises;
  // A producer may export by default what consumers have supported for this
  // many days; none: no such rule.
  std::optional<int> defaultBumpDays;
  // Of neighbouring releases, where they are measured.
  SpeedPromise speed = {};

  // The first promise of that direction; without one, a rule that covers nothing else
  // than the day itself.
  PromiseRule promise(Promise direction) const;
  // The direction in which it covers a pair of builds. Builds of one day are
  // covered backward.
  std::optional<Promise> covers(Date producer, Date consumer) const;
  bool operator==(const WindowPolicy&) const = default;
};

// JAX's guarantees for exported artifacts: 180 days, 21 days, and a default
// calling convention that consumers have known for a month (jax export's
// documents on calling-convention versions).
WindowPolicy jaxPolicy();
// StableHLO's guarantees for portable artifacts: five years backward, two
// forward (docs/compatibility.md there).
WindowPolicy stablehloPolicy();

// "jax", "stablehlo", or the path of a policy file. kBadInput with the place of
// what is wrong: unknown fields and promises that cover nothing are.
Result<WindowPolicy> readPolicy(const std::string& nameOrPath);
Result<WindowPolicy> parsePolicy(std::string_view text, std::string_view name);

}  // namespace vintage::archive

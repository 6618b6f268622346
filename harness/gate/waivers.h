// Findings that people accept: what was seen, with a reason and an expiry. Format:
// docs/gate/waivers.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/gate/finding.h"

namespace vintage::harness {

struct Waiver {
  std::string rule, instance, reason;
  Date expires{};             // The last day on which it holds.
  // What was seen. A finding of another change, with more artifacts, with a later legal day or
  // with none any more is not covered.
  std::string change;         // Finding::change
  int artifacts = 0;          // That would break.
  std::optional<Date> legal;
};

// kBadInput for an unknown rule, a rule about waivers, a missing reason or
// expiry, or two waivers of one change.
Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name);
Result<std::vector<Waiver>> readWaivers(const std::string& path);

// A file of waivers for what no waiver covers yet. Reasons are left empty, and a file without
// them is refused: a person fills them in.
nlohmann::ordered_json waiversFor(const std::vector<Finding>& findings, Date expires);

// Marks what they cover. Findings of the rules "waiver-expired" and "waiver-unused" are added; an
// expired one covers nothing. `today` is the day by the clock, whatever day the change is judged
// as of. An allowed finding of "waiver-expired" says what runs out in 14 days or fewer.
void applyWaivers(const std::vector<Waiver>& waivers, Date today, std::vector<Finding>& findings);

}  // namespace vintage::harness

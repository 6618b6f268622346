// Findings that people accept: by rule and instance, with a reason and an
// expiry. Format: docs/gate/waivers.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/gate/finding.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

struct Waiver {
  std::string rule, instance, reason;
  Date expires{};  // The last day on which it holds.
};

// kBadInput for an unknown rule, a rule about waivers, a missing reason or
// expiry, or two waivers of one finding.
Result<std::vector<Waiver>> parseWaivers(std::string_view text, std::string_view name);
Result<std::vector<Waiver>> readWaivers(const std::string& path);

// Marks what they cover. Findings of the rules "waiver-expired" and
// "waiver-unused" are added; an expired one covers nothing.
void applyWaivers(const std::vector<Waiver>& waivers, Date today, std::vector<Finding>& findings);

}  // namespace vintage::harness::gate

// Which custom-call targets artifacts use, and what was recorded of those artifacts.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "archive/records/pair.h"
#include "archive/records/records.h"

namespace vintage::reports {

struct CustomCallCoverage {
  std::string target;
  int64_t artifacts = 0, withGolden = 0;
  Date oldest{}, newest{};         // When their producers were built.
  std::map<std::string, archive::Tally> cells;  // By platform.
  // Builds that register it, by name; empty: none that is known.
  std::vector<std::string> builds;
};

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage);

}  // namespace vintage::reports

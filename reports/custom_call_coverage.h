// Which custom-call targets artifacts use, and what was recorded of those artifacts.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "reports/limitation_tables.h"
#include "reports/room.h"

namespace vintage::reports {

struct CustomCallCoverage {
  std::string target;
  int64_t artifacts = 0, withGolden = 0;
  Date oldest{}, newest{};         // When their producers were built.
  std::map<std::string, CellCounts> cells;  // By platform.
  // Builds that register it, by name; empty: none that is known.
  std::vector<std::string> builds;
};

// By target. `tables` holds the results (each artifact's name once).
std::vector<CustomCallCoverage> coverCustomCalls(std::span<const ArtifactRecord> artifacts,
                                                 std::span<const BuildRecord> builds,
                                                 const LimitationTables& tables);
std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage);

}  // namespace vintage::reports

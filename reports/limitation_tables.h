// The limitation tables: what works where, as harness/judge/tables/limitation_tables.h judges it.
//
// The form follows JAX's jax_primitives_coverage.md and
// primitives_with_limited_support.md. Nothing is counted here that was not
// recorded, and no number is written by hand.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/records/pair.h"
#include "golden/base/date.h"

namespace vintage::reports {

struct PrimitiveSummary {
  std::string primitive;
  int64_t cases = 0;
  // In JAX's spelling. Supported: a case passed on at least one platform and
  // mode. Not tested: of the set "all", those of which nothing ran.
  std::set<std::string> supported, notTested;
  // All that cases name.
  std::set<std::string> dtypes;
  std::map<std::pair<std::string, std::string>, archive::Tally> cells;  // By (platform, mode).
  std::map<std::tuple<std::string, std::string, std::string>, archive::Tally>
      dtypeCells;  // By (dtype, platform, mode).
  // The cells of the grid, by name, platform and mode. The limitation is one that covers the use,
  // also where nothing ran.
  std::vector<archive::Pair> results;
};

// A declared limitation with what was recorded of what it covers.
struct LimitationSummary {
  archive::Limitation limitation;
  archive::Tally cells;
};

struct LimitationTables {
  std::string run, build;
  Date today{};
  std::vector<std::string> modes;
  int64_t artifacts = 0;            // Rows of the grid.
  int64_t withoutPrimitive = 0;     // Artifacts that no row can be made of.
  int64_t olderArtifacts = 0;       // With the same names, left out.
  int64_t outcomes = 0;             // That entered the grid.
  archive::Tally total;
  std::vector<PrimitiveSummary> primitives;       // By name.
  std::vector<LimitationSummary> limitations;     // By primitive and id.
  // Cells that contradict the declarations, or that nobody knows (fail,
  // unexpected pass, runner error, flaky), by primitive, name, platform, mode.
  std::vector<archive::Pair> contradictions;
};

// `resultsFolder`: where resultPageMarkdown's pages stand, for links to them.
std::string limitationTablesMarkdown(const LimitationTables& tables,
                                     const std::string& resultsFolder = {});
// "format": "vintage limitation tables", "version": 1.
std::string limitationTablesJson(const LimitationTables& tables);

// Each result of one primitive by itself. `archive` as the commands that reproduce
// a result name it.
std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive);

// Which custom-call targets artifacts use, and what was recorded of those artifacts.
struct CustomCallCoverage {
  std::string target;
  int64_t artifacts = 0, withGolden = 0;
  Date oldest{}, newest{};                      // When their producers were built.
  std::map<std::string, archive::Tally> cells;  // By platform.
  // Builds that register it, by name; empty: none that is known.
  std::vector<std::string> builds;
};

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage);

}  // namespace vintage::reports

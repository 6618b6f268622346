// The limitation tables: the primitives that work on each platform, as judged by
// harness/judge/tables/limitation_tables.h.
//
// The form follows JAX's jax_primitives_coverage.md and primitives_with_limited_support.md. Only
// recorded outcomes are counted, and no number is written by hand.
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
  // In JAX's spelling. Supported: a case passed on at least one platform and mode. Not tested: the
  // dtypes of the set "all" without an outcome.
  std::set<std::string> supported, notTested;
  // All dtypes of the cases.
  std::set<std::string> dtypes;
  std::map<std::pair<std::string, std::string>, archive::Tally> cells;  // By (platform, mode).
  std::map<std::tuple<std::string, std::string, std::string>, archive::Tally>
      dtypeCells;  // By (dtype, platform, mode).
  // The cells of the grid, by name, platform and mode. `limitation` covers the use, even if nothing
  // ran.
  std::vector<archive::Pair> results;
};

// A declared limitation with the recorded outcomes of the uses that it covers.
struct LimitationSummary {
  archive::Limitation limitation;
  archive::Tally cells;
};

struct LimitationTables {
  std::string run, build;
  std::string reporter;  // Whose results these are; empty: the archive's own.
  Date today{};
  std::vector<std::string> modes;
  int64_t artifacts = 0;         // Rows of the grid.
  int64_t withoutPrimitive = 0;  // Artifacts that no row can be made of.
  int64_t olderArtifacts = 0;    // With the same names, left out.
  int64_t outcomes = 0;          // In the grid.
  archive::Tally total;
  std::vector<PrimitiveSummary> primitives;    // By name.
  std::vector<LimitationSummary> limitations;  // By primitive and id.
  // Cells that contradict the declarations or have no explanation (fail, unexpected pass, runner
  // error, flaky), by primitive, name, platform, mode.
  std::vector<archive::Pair> contradictions;
};

// `withResults`: with links to the pages of resultPageMarkdown.
std::string limitationTablesMarkdown(const LimitationTables& tables, bool withResults = false);
// "format": "vintage limitation tables", "version": 1.
std::string limitationTablesJson(const LimitationTables& tables);

// "results/add.md". A record may name any primitive: what is no lower-case letter or digit becomes
// its code, so that no page leaves the folder, and none is another's where case does not count.
std::string resultPageName(std::string_view primitive);
// All results of one primitive. `archive`: its name in the commands that reproduce a result.
std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive);

// The custom-call targets that artifacts use, with the outcomes of these artifacts.
struct CustomCallCoverage {
  std::string target;
  int64_t artifacts = 0, withGolden = 0;
  Date oldest{}, newest{};                      // When their producers were built.
  std::map<std::string, archive::Tally> cells;  // By platform.
  // Builds that register it, by name; empty: no known build.
  std::vector<std::string> builds;
};

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage);

}  // namespace vintage::reports

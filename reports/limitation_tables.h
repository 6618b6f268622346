// The limitation tables: what works where, from what the archive recorded
// joined with the limitations that were declared when it was recorded.
//
// The form follows JAX's jax_primitives_coverage.md and
// primitives_with_limited_support.md. Nothing is counted here that was not
// recorded, and no number is written by hand.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "archive/records.h"
#include "golden/date.h"
#include "golden/result.h"
#include "reports/cell.h"

namespace vintage {

struct LimitationTablesInput {
  std::string run;  // RunRecord::id of the run that is reported.
  Date today{};
  // The consumer whose outcomes count; empty: every build's. Of several
  // outcomes for one cell the worst counts.
  std::string build;
  // The rows of the grid are the artifacts with a primitive; of several with
  // one name the newest. Its columns are their platforms times these modes.
  std::vector<std::string> modes;
  std::span<const ArtifactRecord> artifacts;
  std::span<const OutcomeRecord> outcomes;   // The latest of each pair.
  std::span<const RecordedLimitation> limitations;
};

using CellCounts = std::array<int64_t, kCellCount>;

struct PrimitiveSummary {
  std::string primitive;
  int64_t cases = 0;
  // In JAX's spelling. Supported: a case passed on at least one platform and
  // mode. Not tested: of the set "all", those of which nothing ran.
  std::set<std::string> supported, notTested;
  // Of all that cases name.
  std::set<std::string> dtypes;
  std::map<std::pair<std::string, std::string>, CellCounts> cells;  // By (platform, mode).
  std::map<std::tuple<std::string, std::string, std::string>, CellCounts>
      dtypeCells;  // By (dtype, platform, mode).
};

// A declared limitation with what was recorded of what it covers.
struct LimitationSummary {
  RecordedLimitation limitation;
  CellCounts cells{};
};

// A cell that contradicts the declarations, or that nobody knows: fail,
// unexpected pass, runner error.
struct Contradiction {
  std::string primitive, name, platform, mode;
  Cell cell = Cell::kFail;
  OutcomeKind outcome = OutcomeKind::kError;
  Stage stage = Stage::kLoad;
  std::string detail, limitation;
};

struct LimitationTables {
  std::string run, build;
  Date today{};
  std::vector<std::string> modes;
  int64_t artifacts = 0;            // Rows of the grid.
  int64_t withoutPrimitive = 0;     // Artifacts that no row can be made of.
  int64_t olderArtifacts = 0;       // Of the same names, left out.
  int64_t outcomes = 0;             // That entered the grid.
  CellCounts total{};
  std::vector<PrimitiveSummary> primitives;       // By name.
  std::vector<LimitationSummary> limitations;     // By primitive and id.
  std::vector<Contradiction> contradictions;      // By primitive, name, platform, mode.
};

// kNotFound where the run recorded nothing that could be told: tables without
// a single outcome of theirs would say that nothing works.
Result<LimitationTables> makeLimitationTables(const LimitationTablesInput& input);

std::string limitationTablesMarkdown(const LimitationTables& tables);
// "format": "vintage limitation tables", "version": 1.
std::string limitationTablesJson(const LimitationTables& tables);

}  // namespace vintage

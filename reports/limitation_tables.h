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
#include <utility>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/verdict/cell.h"
#include "reports/room.h"

namespace vintage::reports {

struct LimitationTablesInput {
  std::string run;  // RunRecord::id of the run that is reported; empty: of every run.
  Date today{};
  // The consumer whose outcomes count; empty: every build's. The worst of
  // several outcomes for one cell counts.
  std::string build;
  // What that build says that it runs; empty: not known. An outcome for another
  // platform is nobody's: it was emulated, or whoever recorded it made it up.
  std::vector<std::string> platforms;
  // The rows of the grid are the artifacts with a primitive; of several with
  // one name the newest. Its columns are their platforms times these modes.
  std::vector<std::string> modes;
  std::span<const ArtifactRecord> artifacts;
  // The latest of each pair; or all that were recorded, which also shows what
  // is flaky. The latest of one pair counts.
  std::span<const OutcomeRecord> outcomes;
  std::span<const RecordedLimitation> limitations;
};

// One cell of the grid with what it was made of.
struct TableResult {
  std::string name, platform, mode;
  ContentId artifact;
  std::vector<std::string> dtypes;
  std::string variant;
  Cell cell = Cell::kUntested;
  OutcomeKind outcome = OutcomeKind::kError;  // Not of what is untested.
  Stage stage = Stage::kLoad;
  std::string detail, limitation;
};

using CellCounts = std::array<int64_t, kCellCount>;

struct PrimitiveSummary {
  std::string primitive;
  int64_t cases = 0;
  // In JAX's spelling. Supported: a case passed on at least one platform and
  // mode. Not tested: of the set "all", those of which nothing ran.
  std::set<std::string> supported, notTested;
  // All that cases name.
  std::set<std::string> dtypes;
  std::map<std::pair<std::string, std::string>, CellCounts> cells;  // By (platform, mode).
  std::map<std::tuple<std::string, std::string, std::string>, CellCounts>
      dtypeCells;  // By (dtype, platform, mode).
  std::vector<TableResult> results;  // By name, platform and mode.
};

// A declared limitation with what was recorded of what it covers.
struct LimitationSummary {
  RecordedLimitation limitation;
  CellCounts cells{};
};

struct LimitationTables {
  std::string run, build;
  Date today{};
  std::vector<std::string> modes;
  int64_t artifacts = 0;            // Rows of the grid.
  int64_t withoutPrimitive = 0;     // Artifacts that no row can be made of.
  int64_t olderArtifacts = 0;       // With the same names, left out.
  int64_t outcomes = 0;             // That entered the grid.
  CellCounts total{};
  std::vector<PrimitiveSummary> primitives;       // By name.
  std::vector<LimitationSummary> limitations;     // By primitive and id.
  // Cells that contradict the declarations, or that nobody knows (fail,
  // unexpected pass, runner error, flaky), by primitive, name, platform, mode.
  std::vector<std::pair<std::string, TableResult>> contradictions;
};

// kNotFound where the run recorded no outcome for them: tables without
// a single outcome of theirs would say that nothing works.
Result<LimitationTables> makeLimitationTables(const LimitationTablesInput& input);

// `resultsFolder`: where resultPageMarkdown's pages stand, for links to them.
std::string limitationTablesMarkdown(const LimitationTables& tables,
                                     const std::string& resultsFolder = {});
// "format": "vintage limitation tables", "version": 1.
std::string limitationTablesJson(const LimitationTables& tables);

// Each result of one primitive by itself. `archive` as the commands that reproduce
// a result name it.
std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive);

}  // namespace vintage::reports

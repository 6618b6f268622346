// Joins recorded outcomes with the limitations that were declared when they were recorded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/records/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "reports/limitation_tables.h"

namespace vintage::harness {

struct LimitationTablesInput {
  std::string run;  // RunRecord::id of the run that is reported; empty: of every run.
  Date today{};
  // The consumer whose outcomes count; empty: every build's. The worst of
  // several outcomes for one cell counts.
  std::string build;
  // The platforms that this build states; empty: unknown. Outcomes for other platforms do not
  // count: they were emulated or invented.
  std::vector<std::string> platforms;
  // The rows of the grid are the artifacts with a primitive; of several with
  // one name the newest. Its columns are their platforms times these modes.
  std::vector<std::string> modes;
  std::span<const archive::ArtifactRecord> artifacts;
  // The latest of each pair; or all, which also shows flaky pairs. The latest of a pair counts.
  std::span<const archive::OutcomeRecord> outcomes;
  std::span<const archive::Limitation> limitations;
};

// kNothing where the run recorded no outcome for them: tables without one would say that nothing
// works.
Result<reports::LimitationTables> makeLimitationTables(const LimitationTablesInput& input);

// By target. `tables` holds the results (each artifact's name once).
std::vector<reports::CustomCallCoverage> coverCustomCalls(
    std::span<const archive::ArtifactRecord> artifacts,
    std::span<const archive::BuildRecord> builds, const reports::LimitationTables& tables);

}  // namespace vintage::harness

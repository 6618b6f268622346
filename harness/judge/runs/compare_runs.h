// How two recorded runs differ: what broke, what was mended and what became slower in between.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/speed_report.h"
#include "archive/store/archive.h"
#include "archive/store/run_difference.h"
#include "golden/base/result.h"

namespace vintage::harness {

// The builds of two runs that are compared: the same build, or, where each run has one build of a
// product that the other lacks, those two ("vintage-engine 2026-11-25" and "… 2026-11-26").
struct BuildMatches {
  std::vector<std::pair<std::string, std::string>> pairs;  // Before and after.
  std::vector<std::string> onlyBefore, onlyAfter;
};
BuildMatches matchBuilds(std::vector<std::string> before, std::vector<std::string> after);

struct RunComparison {
  archive::RunRecord before, after;
  BuildMatches builds;
  archive::RunDifference total;  // Of all compared builds, broken ones first.
  // Measurements of builds that only the second run has beside builds of the first; none: not asked
  // for.
  std::optional<archive::JudgedSpeed> speed;
  // Findings of speed that no limitation declares.
  int64_t slower() const;
};
// Runs as findRun() knows them.
Result<RunComparison> compareRuns(const archive::Archive& archive, std::string_view before,
                                  std::string_view after);
// The same of runs that the caller has read, without speed: that reads every measurement. `most`
// bounds the list of changes.
Result<RunComparison> compareRuns(const archive::Archive& archive, archive::RunRecord before,
                                  archive::RunRecord after, int64_t most = 200);
// From the run before it, as runBefore() finds it; kNotFound where there is none.
Result<RunComparison> compareWithRunBefore(const archive::Archive& archive, std::string_view run);
// The newest finished one of `runs`, which are all of the archive's, that is of the same kind and
// reporter, began before `run` and has outcomes; none: nullopt.
Result<std::optional<archive::RunRecord>> runBefore(const archive::Archive& archive,
                                                    std::span<const archive::RunRecord> runs,
                                                    const archive::RunRecord& run);

nlohmann::json toJson(const RunComparison& comparison);
std::string textOf(const RunComparison& comparison);

}  // namespace vintage::harness

// Which artifacts run on a build, on which of their platforms, and which do
// not, with the reason. Decides only; nothing is read or run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/records.h"
#include "reports/run_report.h"

namespace vintage {

struct ReplayChoice {
  std::optional<std::string> platform;  // None: the artifact's first that the build has.
  std::string mode = "graph";
  Date today{};
  std::span<const RecordedLimitation> limitations;
};

// Records that share their bytes, golden and platforms: one execution tells
// of all of them. Night after night most artifacts are the same bytes again.
struct ReplayJob {
  std::vector<ArtifactRecord> records;
  std::string platform;
  std::string limitation;  // Id of the first that covers it; empty: none.
};

struct ReplayPlan {
  std::vector<ReplayJob> jobs;
  std::vector<SkippedPair> skipped;
  std::vector<std::string> matchedLimitations;  // Ids, sorted.
};

ReplayPlan planReplay(std::span<const ArtifactRecord> records, const BuildRecord& build,
                      const ReplayChoice& choice);

}  // namespace vintage

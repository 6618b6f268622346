// Which artifacts run on a build, on which of their platforms, and which do
// not, with the reason. Decides only; nothing is read or run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/records/run_summary.h"
#include "archive/store/records.h"

namespace vintage::harness {

struct ReplayChoice {
  std::optional<std::string> platform;  // None: the artifact's first that the build has.
  // Artifacts for platforms that the build has not run on it all the same, as far
  // as it has stand-ins for their custom calls.
  bool emulate = false;
  std::string mode = "graph";
  Date today{};
  std::span<const archive::Limitation> limitations;  // They outlive the plan.
  archive::Scope scope;  // Its platforms, and whether what has no golden is left out.
};

// Records that share their bytes, golden and platforms: one execution tells
// of all of them. Night after night most artifacts are the same bytes again.
struct ReplayJob {
  std::vector<archive::SharedRecord> records;
  std::string platform;    // Of the artifact.
  bool emulated = false;   // The build is no such platform.
  std::string limitation;  // Id of the first that covers the use; empty: none.
};

struct ReplayPlan {
  std::vector<ReplayJob> jobs;
  std::vector<archive::Pair> skipped;  // As RunSummary::skipped; without a promise.
  std::map<std::string, int64_t>
      outOfScope;  // Records that the scope leaves out, by what they are.
  std::vector<std::string> matchedLimitations;  // Ids, sorted.
};

// What outcomes of a job are recorded and reported under. An emulated one has a
// name that is no platform's, "cuda (emulated)": whoever asks for cuda, an
// archive's query, a table, a promise or a limitation, never meets it.
std::string recordedPlatform(const std::string& platform, bool emulated);
bool isEmulated(std::string_view recordedPlatform);
// The artifact's platform: "cuda" of both.
std::string withoutEmulation(std::string_view recordedPlatform);
// Whether an outcome under `recordedPlatform` can be this build's own: it runs that
// platform, or has not said what it runs. Anything else was emulated, or made up.
bool isBuildsOwn(const archive::BuildRecord& build, std::string_view recordedPlatform);

// Why a record is compared with nothing anywhere; empty: it is.
std::string notComparable(const archive::ArtifactRecord& record);
// Comparing takes a golden; compiling takes the module alone. A SavedModel holds graphs, which
// nobody runs operation by operation.
bool canRunIn(std::string_view mode, const archive::ArtifactRecord& record);

ReplayPlan planReplay(std::span<const archive::SharedRecord> records,
                      const archive::BuildRecord& build, const ReplayChoice& choice);

}  // namespace vintage::harness

// Decides which artifacts run on a build, on which of their platforms, and which do not, with the
// reason. Reads and runs nothing.
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
  // The build also runs artifacts for other platforms than its own, as far as it has stand-ins for
  // their custom calls.
  bool emulate = false;
  std::string mode = "graph";
  Date today{};
  std::span<const archive::Limitation> limitations;  // They outlive the plan.
  archive::Scope scope;  // Its platforms, and whether it leaves out artifacts without a golden.
};

// Records that share their bytes, golden and platforms: one execution serves all. Most artifacts
// have the same bytes night after night.
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

// The platform under which outcomes of a job are recorded and reported. An emulated one has a name
// that is no platform's, "cuda (emulated)", so queries, tables, promises and limitations for cuda
// never find it.
std::string recordedPlatform(const std::string& platform, bool emulated);
bool isEmulated(std::string_view recordedPlatform);
// The artifact's platform: "cuda" of both.
std::string withoutEmulation(std::string_view recordedPlatform);
// Whether an outcome under `recordedPlatform` can be this build's own: it runs that
// platform, or has not said what it runs. Anything else was emulated, or made up.
bool isBuildsOwn(const archive::BuildRecord& build, std::string_view recordedPlatform);

// Why no build's outputs can be compared for a record; empty: they can.
std::string notComparable(const archive::ArtifactRecord& record);
// Comparing needs a golden; compiling needs only the module. No consumer runs the graphs of a
// SavedModel operation by operation.
bool canRunIn(std::string_view mode, const archive::ArtifactRecord& record);

ReplayPlan planReplay(std::span<const archive::SharedRecord> records,
                      const archive::BuildRecord& build, const ReplayChoice& choice);

}  // namespace vintage::harness

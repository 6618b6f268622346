// Why a verdict is what it is: what an artifact needs and which of its
// operations forces that, who can read it, what was recorded, the limitation
// that matched, and the commands that reproduce it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/pair.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/judge/explain/forced_version.h"
#include "harness/judge/explain/needs.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::harness {

struct ExplainOptions {
  std::string archiveArgument;  // As it goes into commands.
  std::string build;            // Empty: every build on which something is recorded.
  ProcessHost* forceVersion =
      nullptr;  // Set: pairs are also run as harness/judge/explain/forced_version.h.
  Date today{};
  archive::WindowPolicy policy;
};

// One build, platform and mode.
struct PairExplanation {
  // With the latest outcome that is recorded. Its limitation is one that covers the use, whatever
  // came of it. It has no command where the build cannot be started.
  archive::Pair pair;
  std::vector<std::string> promises;    // That cover the pair.
  LoadAnswer statically;                // By what the build says about itself.
  std::string limitationText;
  std::optional<ForcedVersion> forced;  // Where that was asked for.
};

// A release that is known by its facts.
struct Reader {
  std::string build;
  Date date{};
};

struct Explanation {
  archive::SharedRecord artifact;
  std::optional<ForcedNeeds> needs;
  std::string needsProblem;  // Why they are not known.
  // Oldest and newest release that guarantee a target, in the order of needs->targets.
  std::vector<std::pair<std::optional<Reader>, std::optional<Reader>>> guarantees;
  // Among the archive's releases of kind "facts".
  int releases = 0, readers = 0, uncertain = 0;
  std::optional<Reader> oldestReader, newestReader;
  // Why the releases next to them cannot; where none can, why the newest cannot.
  std::string olderCannot, newerCannot;
  std::vector<PairExplanation> pairs;
};

// kNotFound where the archive knows no such artifact or build. An artifact that
// cannot be read is explained all the same, by its record.
Result<Explanation> explain(const std::string& idOrName, const ExplainOptions& options,
                            const archive::Archive& archive);

nlohmann::json toJson(const Explanation& explanation);
std::string explanationText(const Explanation& explanation);

}  // namespace vintage::harness

// Which records are asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/records/records.h"
#include "archive/store/room.h"
#include "golden/base/date.h"

namespace vintage::archive::store {

// Every field that is set must match. Empty lists match everything.
struct ArtifactFilter {
  std::vector<std::string> ids;        // Whole ids, or prefixes of at least 4 characters.
  std::vector<std::string> names;      // SQLite GLOB patterns.
  std::vector<std::string> primitives, dtypes, platforms, variants, customCallTargets;
  std::vector<std::string> producers;
  std::optional<Date> builtFrom, builtUntil;  // Inclusive.
  std::optional<int> oldestCallingConvention, newestCallingConvention;
};

struct OutcomeFilter {
  std::vector<ContentId> artifacts;
  std::vector<std::string> builds, platforms, modes, runs;
  std::vector<OutcomeKind> outcomes;  // Applied after latestOnly.
  bool latestOnly = true;  // For each (artifact, golden, build, platform, mode).
};

}  // namespace vintage::archive::store

// The matrix of producers and consumers, walked content by content.
//
// Neither the artifacts nor the pairs are held: for each content the consumers
// that a promise covers, and beyond the promises a sample, are looked at in
// turn. Memory grows with builds, days and primitives only.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/content_query.h"
#include "harness/verdict/window_policy.h"
#include "harness/window/consumers.h"
#include "harness/window/room.h"

namespace vintage::harness::window {

enum class Beyond {
  kNothing,  // Only what is promised.
  kSample,   // Also, on every consumer, one content of each primitive, target set,
             // platform and producer.
  kAll,
};

struct WindowChoice {
  WindowPolicy policy;
  Date today{};
  ArtifactFilter filter;
  std::vector<std::string> modes{"graph"};
  Beyond beyond = Beyond::kSample;
  int shard = 0, shards = 1;
};

// One content on one consumer, platform and mode: what one execution shows.
// Valid while it is visited.
struct WindowCell {
  const ArchivedContent* content = nullptr;
  int64_t number = 0;  // The content's place in this walk, from 1.
  // Those of the content's records that the filter takes and the platform suits.
  std::vector<const ArtifactRecord*> records;
  size_t consumer = 0;  // Index.
  std::string platform, mode;
  // (record, build) pairs under each of the policy's promises, in its order.
  std::span<const int64_t> promised;
  const OutcomeRecord* outcome = nullptr;  // Null: nothing is known.
};

// Why a record is not run anywhere; empty: it is.
std::string notRunnable(const ArtifactRecord& record);

using VisitCell = std::function<Status(const WindowCell&)>;
struct SurveyCounts {
  int64_t contents = 0, artifacts = 0;
};
Result<SurveyCounts> survey(const Archive& archive, const WindowChoice& choice,
                            const std::vector<Consumer>& consumers, const VisitCell& visit);

}  // namespace vintage::harness::window

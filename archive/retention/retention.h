// Removes what a policy does not keep. Records go here; their contents go
// when nothing names them any more (archive/retention/collect.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "archive/retention/policy.h"
#include "archive/retention/room.h"
#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive::retention {

struct RetentionOptions {
  RetentionPolicy policy = defaultRetentionPolicy();
  Date today{};
  bool dryRun = false;  // Decides and reports; changes nothing.
  // Each artifact that no rule keeps, newest build first; `heldBy` is the hold's
  // reason where it stays for that.
  std::function<void(const ArtifactRecord&, const std::string& reason, const std::string& heldBy)>
      visit;
  std::function<void(size_t done, size_t total)> progress;
};

struct RetentionSummary {
  int64_t artifacts = 0;  // That were looked at.
  int64_t removed = 0;    // Or would be.
  int64_t held = 0;
  int64_t outcomesRemoved = 0;  // Not counted in a dry run.
  std::map<std::string, int64_t> keptBy;  // By the rule's name.
};

// Others may read, put and collect meanwhile; what they put after its turn
// stays. Each removal is recorded with its reason. Removals are durable in
// groups: an interrupted call has removed some, each of them completely.
Result<RetentionSummary> applyRetention(Archive& archive, const RetentionOptions& options);

// Removals, newest first.
struct RecordedRemoval {
  ContentId artifact, golden;
  std::string name, producer;
  Date buildDate{};
  std::string removed;   // "2026-11-20T21:50:00Z"
  std::string reason;
  std::string outcomes;  // JSON: how many of each kind were recorded: {"pass": 120}
};
Result<std::vector<RecordedRemoval>> recordedRemovals(const Archive& archive, size_t longest);

}  // namespace vintage::archive::retention

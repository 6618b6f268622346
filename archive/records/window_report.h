// The result of a window: for each promise whether it holds, which pairs break it, and which builds
// are missing; and the pairs beyond it that really work.
//
// Reports of shards add up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/run_summary.h"
#include "archive/records/scope.h"
#include "archive/records/speed_report.h"
#include "archive/records/verdict.h"
#include "archive/records/window_policy.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// Artifacts that a promise applies to, on one platform and mode.
struct Coverage {
  int64_t artifacts = 0;
  int64_t covered = 0;       // By a consumer on a day that the promise covers.
  bool hasConsumer = false;  // Somebody runs this platform in this mode, whenever it was built.
  bool operator==(const Coverage&) const = default;
};
using PlaceKey = std::tuple<std::string, std::string>;  // Platform, mode.

// A build that the promise covers, but nothing is known of it.
struct MissingBuild {
  std::string reason;
  int64_t pairs = 0;
};

struct PromiseReport {
  PromiseRule rule;
  bool inScope = true;
  Tally tally;  // Artifacts times builds, for each platform and mode.
  // An artifact's content that fails on a consumer, or on which it passes although a limitation
  // says that it fails; the limitation of a failure covers the use and not this kind of failure.
  // The first kBrokenTold by dates and names, in whatever order they came; the counts are complete.
  std::vector<Pair> broken;
  // The first kBrokenTold pairs that are not comparable, or passed by a golden in doubt.
  std::vector<Pair> undecided;
  std::map<std::string, MissingBuild> missing;   // By build.
  std::map<PlaceKey, Coverage> places;           // Where artifacts are that it applies to.
  std::map<std::string, int64_t> notComparable;  // Artifacts that it covers, by the reason.
  // The parts that nothing can run for: a platform and mode without a consumer, or without one on a
  // covered day; artifacts without a golden; no artifact at all.
  std::vector<Unjudged> notCovered() const;
  // Among `broken` or `undecided`, by its cell.
  void tell(Pair pair);
  Verdict verdict() const;
};
inline constexpr size_t kBrokenTold = 200;

// The pairs that really work, whatever is promised.
struct Measured {
  std::string kind;  // "primitive", "target"
  std::string name, platform;
  struct Place {
    Date producerDate{}, consumerDate{};
    std::string artifact, producer, build;
    // From producer to consumer; below 0 where that is older.
    std::chrono::days age() const { return consumerDate - producerDate; }
  };
  Tally tally;                           // Pairs that were run, whatever is declared.
  std::optional<Place> oldestArtifact;   // With a consumer that runs it.
  std::optional<Place> oldestConsumer;   // With an artifact that it runs.
  std::optional<Place> longestBackward;  // The most days from producer to a later consumer.
  std::optional<Place> longestForward;   // The most days from consumer to a later producer.
  // Takes note of a pair that works. The order of the pairs does not matter.
  void see(const Place& place);
};
using MeasuredKey = std::tuple<std::string, std::string, std::string>;  // kind, name, platform.

// A producer that exports by default a version that consumers have supported for too short a time.
struct DefaultBump {
  std::string producer, firstConsumer;
  Date producerDate{};
  std::optional<Date> supportedSince, earliest;
  int version = 0;  // The calling convention's.
  Verdict verdict = Verdict::kHolds;
};

struct WindowReport {
  std::string policy;
  Date today{};
  Scope scope;
  std::map<std::string, int64_t> outOfScope;  // Artifacts, by what they are.
  int shards = 1;
  std::set<int> parts;    // Which shards are in it.
  bool byItself = false;  // One shard is judged, and what the others hold is not its matter.
  int64_t contents = 0, artifacts = 0, consumers = 0, programs = 0, factsLeftOut = 0;
  int64_t reused = 0, ran = 0, skipped = 0;  // Executions.
  std::vector<PromiseReport> promises;
  std::map<MeasuredKey, Measured> measured;
  std::vector<DefaultBump> bumps;
  std::vector<std::string> breakages;
  std::optional<JudgedSpeed> speed;  // None: nobody asked for it.

  // Judges the promises in scope, the default bumps and what the policy promises of speed together.
  // A part of a window, or one in which something broke, cannot tell what it does not see broken.
  Verdict verdict() const;
  Conclusion conclusion() const;
  // `other` is another shard of the same window; kUsage where it is not.
  Status add(const WindowReport& other);
};
// Without accuracy, which no window measures.
RunNotes notesOf(const WindowReport& report);

}  // namespace vintage::archive

// What a window says: for each promise whether it holds, by which pairs it is
// broken, and which builds are missing; and what really works beyond it.
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

// A build that the promise covers and of which nothing is known.
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
  std::map<std::string, MissingBuild> missing;   // By build.
  std::map<PlaceKey, Coverage> places;           // Where artifacts are that it applies to.
  std::map<std::string, int64_t> notComparable;  // Artifacts that it covers, by the reason.
  // What nothing can run for: a platform and mode without a consumer or without one on a day
  // that is covered, artifacts without a golden, no artifact at all.
  std::vector<Unjudged> notCovered() const;
  void tell(Pair pair);
  Verdict verdict() const;
};
inline constexpr size_t kBrokenTold = 200;

// What really works, whatever is promised.
struct Measured {
  std::string kind;  // "primitive", "target"
  std::string name, platform;
  struct Place {
    Date producerDate{}, consumerDate{};
    std::string artifact, producer, build;
    // From producer to consumer; below 0 where that is older.
    std::chrono::days age() const { return consumerDate - producerDate; }
  };
  int64_t pass = 0, compiled = 0, fail = 0;  // Pairs that were run, or compiled only.
  std::optional<Place> oldestArtifact;       // With a consumer that runs it.
  std::optional<Place> oldestConsumer;       // With an artifact that it runs.
  std::optional<Place> longestBackward;      // The most days from producer to a later consumer.
  std::optional<Place> longestForward;       // The most days from consumer to a later producer.
  // Takes note of a pair that works. The order of the pairs is of no matter.
  void see(const Place& place);
};
using MeasuredKey = std::tuple<std::string, std::string, std::string>;  // kind, name, platform.

// A producer that exports by default what consumers learnt too lately.
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

}  // namespace vintage::archive

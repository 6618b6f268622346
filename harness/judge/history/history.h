// The measured history: every pair of a release that exported and a release that ran it; as data
// and as pages (docs/measured).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::harness {

// A release of JAX that the archive knows as a build. One release is one or two builds: its
// worker warm and fresh (docs/howto/jax.md).
struct HistoryRelease {
  std::string version;   // "0.8.1"
  std::string producer;  // "jax 0.8.1"
  Date released{};
  std::string python;
  std::string warm, fresh;  // Its builds; empty: not registered.
  int newestCallingConvention = 0, newestSerialization = 0;
  std::string stablehloVersion;
  int64_t artifacts = 0;  // Its exports that can run on a CPU here.
};

// How the artifacts of one release ended on another.
struct PairOutcomes {
  int64_t passed = 0;
  int64_t differ = 0;         // Where they may.
  int64_t notComparable = 0;  // They ran, and nothing says whether they are right.
  std::map<archive::OutcomeKind, int64_t> failed;
  int64_t refused = 0;  // kUnsupported: by the consumer's expiry check, a type that it lacks.
  int64_t ran() const;
};

// The days between two releases with outcomes. Backward: the consumer is younger, and a day is an
// age of the artifact.
struct Reach {
  std::map<int64_t, std::pair<int64_t, int64_t>> days;  // Passed and not passed, by the age.
  // The most days up to which everything passes; none: not even at the least.
  std::optional<int64_t> allPass() const;
  std::optional<int64_t> longestPass() const;  // On which anything passes.
};
struct ReachOfPart {
  std::string kind, name;  // "primitive" or "target"
  Reach backward, forward;
};

// Failures inside a promise with one cause, as far as their messages show it.
struct Break {
  std::string condition;  // "warm", "fresh"
  archive::OutcomeKind outcome = archive::OutcomeKind::kError;
  archive::Stage stage = archive::Stage::kLoad;
  std::string message;  // The first line, of the smallest artifact.
  std::set<std::string> primitives, targets;
  std::set<size_t> producers, consumers;           // Indices of releases.
  std::map<std::string, int64_t> promises;         // Pairs of each.
  int64_t pairs = 0, leastDays = 0, mostDays = 0;  // Between the releases.
  // The smallest artifact of them, on one of its consumers.
  archive::ArtifactRecord smallest;
  std::string smallestOn;
  size_t smallestProducer = 0, smallestConsumer = 0;
  std::string issue;  // Upstream's, where it is known; a URL.
  std::string issueTitle;
};

// A message without the parts that differ between artifacts: numbers, quoted names, addresses, the
// element type of a LAPACK or BLAS routine.
std::string signatureOf(std::string_view message);

// A key that failures of one cause share. The last words of a crash and the distance of values
// depend on the artifact, and are no part of it.
std::string causeOf(std::string_view primitive, bool callsTargets, archive::OutcomeKind outcome,
                    std::string_view message);

// Failures inside a promise, grouped by their cause.
class BreakCollector {
 public:
  // `days` from the producer's release to the consumer's; negative: forward.
  void add(const archive::ArtifactRecord& record, const archive::OutcomeRecord& outcome,
           size_t producer, size_t consumer, bool fresh, int64_t days, archive::Promise promise);
  std::vector<Break> take();

 private:
  // Condition, outcome, stage, and the signature or, of other values, the primitive.
  using Key = std::tuple<bool, archive::OutcomeKind, archive::Stage, std::string>;
  std::map<Key, Break> breaks_;
};

// An artifact that fails on the release that exported it shows nothing about compatibility.
struct FailsAtHome {
  std::string name, producer, condition, message;
  archive::OutcomeKind outcome = archive::OutcomeKind::kError;
};

struct History {
  Date today{};
  std::vector<HistoryRelease> releases;  // By day and version.
  // By (producer, consumer, whether fresh), indices of releases.
  std::map<std::tuple<size_t, size_t, bool>, PairOutcomes> pairs;
  std::vector<ReachOfPart> reach;  // Of warm consumers; by kind and name.
  std::vector<Break> breaks;       // The widest first.
  std::vector<FailsAtHome> failsAtHome;
  int64_t artifacts = 0, executions = 0;
};

// Reads what the archive holds; runs nothing.
Result<History> measureHistory(const archive::Archive& archive, const archive::WindowPolicy& policy,
                               Date today);

// How the history was measured, in words.
struct HistoryOrigin {
  std::string command;   // Writes the pages again.
  std::string sampling;  // Which artifacts were exported, and what ran where.
};

// By file name: README.md, matrix.md, reach.md, breaks.md, history.json.
std::map<std::string, std::string> historyPages(const History& history,
                                                const HistoryOrigin& origin);

nlohmann::json toJson(const History& history);

// A file of toJson(), checked. Each of its breaks gets an "id" by its cause, which later
// measurements keep.
Result<nlohmann::json> readHistory(const std::string& path);

// Failures on other products than JAX's releases, from docs/measured/forward.json and from pages of
// `vintage tables --consumers` (.md): {"failures", "measured", "days" of builds}. Each failure has
// an "id" by its cause, as breaks have. `history` names the primitives.
Result<nlohmann::json> readOthers(std::span<const std::string> paths,
                                  const nlohmann::json& history);

}  // namespace vintage::harness

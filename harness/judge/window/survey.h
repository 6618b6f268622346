// The matrix of producers and consumers, walked content by content.
//
// The walk holds neither artifacts nor pairs. For each content it visits the consumers that a
// promise covers, and beyond the promises a sample. Memory grows with builds, days and primitives
// only.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "archive/records/window_policy.h"
#include "archive/records/window_report.h"
#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::harness {

// Builds that run the same program: an outcome on one counts for all.
struct Consumer {
  std::vector<archive::BuildRecord> builds;  // By date; at least one. The last one is run.
  // All builds of the program, also those that were not chosen: what was
  // recorded on them is known.
  std::vector<std::string> sameProgram;
  // Empty: it can be started. Otherwise why not: its program is not there, or
  // only its facts are known.
  std::string problem;
  bool factsOnly = false;
  bool readsSavedModels = false;

  const archive::BuildRecord& build() const { return builds.back(); }
};

enum class Beyond {
  kNothing,  // Only what is promised.
  kSample,   // Also, on every consumer, one content of each primitive, target set,
             // platform and producer.
  kAll,
};

struct WindowChoice {
  archive::WindowPolicy policy;
  Date today{};
  archive::ArtifactFilter
      filter;  // Where it names platforms, an artifact's others are not looked at.
  archive::Scope scope;
  std::vector<std::string> modes{"graph"};
  Beyond beyond = Beyond::kSample;
  int shard = 0, shards = 1;
  std::vector<std::string> runs = {};  // Only their outcomes are known; empty: those that count.
};

// One content on one consumer, platform and mode: what one execution shows.
// Valid while it is visited.
struct WindowCell {
  int64_t number = 0;  // The content's place in this walk, from 1.
  // Those of the content's records that the filter takes and the platform suits.
  std::vector<const archive::ArtifactRecord*> records;
  size_t consumer = 0;  // Index.
  std::string platform, mode;
  // (record, build) pairs under each of the policy's promises, in its order.
  std::span<const int64_t> promised;
  const archive::OutcomeRecord* outcome = nullptr;  // Null: nothing is known.
};

using VisitCell = std::function<Status(const WindowCell&)>;
struct SurveyCounts {
  int64_t contents = 0, artifacts = 0;
  std::vector<std::map<archive::PlaceKey, archive::Coverage>> places;  // By promise.
  // Artifacts that some consumer's promise covers and that cannot be compared, by the reason.
  std::vector<std::map<std::string, int64_t>> notComparable;  // By promise.
  std::map<std::string, int64_t>
      outOfScope;  // Artifacts that the scope leaves out, by what they are.
};
Result<SurveyCounts> survey(const archive::Archive& archive, const WindowChoice& choice,
                            const std::vector<Consumer>& consumers, const VisitCell& visit);

// How many cells a consumer has, by whether their outcome is known. Those of one kind
// (a producer's day and format, a platform, a mode) are counted once for each content, and
// spread over the consumers at the end: a matrix of 10^8 cells takes no step for each.
struct CellCount {
  int64_t known = 0, unknown = 0;
  bool operator==(const CellCount&) const = default;
};
// `cells` gets an entry for each consumer.
Result<SurveyCounts> countCells(const archive::Archive& archive, const WindowChoice& choice,
                                const std::vector<Consumer>& consumers,
                                std::vector<CellCount>& cells);

}  // namespace vintage::harness

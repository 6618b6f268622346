// A place that keeps artifacts: an archive's folder, an archive's service, or a
// bucket. A mirror copies between any two of them through this face only.
//
// Everything that a place hands out was verified (contents by their hash).
// Putting is idempotent; what a place says it kept is durable there. One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/transfer/room.h"
#include "golden/base/result.h"

namespace vintage::archive::transfer {

using Bytes = std::vector<std::byte>;

struct WantedContent {
  ContentId id;
  int64_t bytes = -1;  // -1: not known before it is read.
};

// Artifacts to register, and the contents of theirs that the place misses.
struct ArtifactBatch {
  std::vector<ArtifactRecord> records;
  std::unordered_map<ContentId, Bytes> contents;
};

// A record that a place would not take (or that could not be read), and why.
// The others go on.
struct RefusedRecord {
  std::string name;  // "add_f32[8]/cpu of vintage-engine 2026-11-20"
  Error error;
};

// What a place did over the network since it was opened.
struct TransferCounts {
  uint64_t requests = 0, retries = 0, connections = 0;
  uint64_t bytesSent = 0, bytesReceived = 0;  // Bytes of bodies.
};

class Place {
 public:
  virtual ~Place() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;

  // ---- Reading

  // In order of (build date, name). The visitor may use the place meanwhile;
  // an error of his ends it.
  using ArtifactVisitor = std::function<Status(const ArtifactRecord&)>;
  virtual Status forEachArtifact(const ArtifactFilter& filter, const ArtifactVisitor& visit) = 0;
  // All records with these contents, by (name, producer). `from` and `until`
  // bound their build dates.
  virtual Result<std::vector<ArtifactRecord>> artifactsOf(std::span<const ContentId> ids, Date from,
                                                          Date until) = 0;
  // Takes the contents in any order, each once. A content that is missing or
  // damaged goes to `lost`; then the others go on.
  using ContentVisitor = std::function<Status(const ContentId&, Bytes)>;
  using LostVisitor = std::function<Status(const ContentId&, const Error&)>;
  virtual Status readContents(std::span<const WantedContent> wanted, const ContentVisitor& take,
                              const LostVisitor& lost) = 0;
  virtual Result<std::vector<BuildRecord>> builds() = 0;
  // By id, without their verdicts: memory does not grow with the reports kept.
  virtual Result<std::vector<RunRecord>> runs() = 0;
  virtual Result<RunWithLimitations> run(const std::string& id) = 0;  // Whole.
  // All of a run, not only the latest.
  virtual Result<std::vector<OutcomeRecord>> outcomes(const std::string& run) = 0;

  // ---- Writing

  // Those of `contents` that are not kept. What is kept stays until finish(),
  // whatever garbage collection does meanwhile.
  virtual Result<std::set<ContentId>> missing(std::span<const ContentId> contents) = 0;
  // Contents first, then the records that name them. Says which were refused.
  virtual Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) = 0;
  virtual Status putBuilds(std::span<const BuildRecord> builds) = 0;
  // Replaces what was kept under its id.
  virtual Status putRun(const RunWithLimitations& run) = 0;
  // Their artifacts, builds and run are kept already.
  virtual Status putOutcomes(std::span<const OutcomeRecord> outcomes) = 0;
  // After the last put.
  virtual Status finish() { return {}; }

  virtual TransferCounts counts() const { return {}; }
};

inline std::string describe(const ArtifactRecord& record) {
  return record.name + " of " + record.producer;
}

}  // namespace vintage::archive::transfer

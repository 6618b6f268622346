// A place that keeps artifacts: an archive's folder, an archive's service, a
// bucket, or a registry. A mirror copies between any two of them through this face only.
//
// Everything that a place hands out was verified (contents by their hash).
// Putting is idempotent; what a place says it kept is durable there, in a registry
// after finish(). One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "archive/integrity/travelling_list.h"
#include "archive/retention/retention.h"
#include "archive/store/archive.h"
#include "archive/store/record_json.h"
#include "archive/store/records.h"
#include "archive/transfer/http_client.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

enum class PlaceKind { kFolder, kService, kBucket, kRegistry };

class RecordObjects;  // archive/transfer/record_objects.h

class Place {
 public:
  virtual ~Place() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;
  // Of a folder; null for other places.
  virtual const Archive* archive() const { return nullptr; }

  // In order of (build date, name). The visitor may use the place meanwhile; its error ends the
  // walk.
  using ArtifactVisitor = std::function<Status(const ArtifactRecord&)>;
  virtual Status forEachArtifact(const ArtifactFilter& filter, const ArtifactVisitor& visit) = 0;
  // All records with these contents, by (name, producer). `from` and `until`
  // bound their build dates.
  virtual Result<std::vector<ArtifactRecord>> artifactsOf(std::span<const ContentId> ids, Date from,
                                                          Date until) = 0;
  // For each record whether the place has one that covers() it. At least one record.
  Result<std::vector<bool>> hasArtifacts(std::span<const ArtifactRecord> records);
  // Takes the contents in any order, each once. A content that is missing or
  // damaged goes to `lost`; then the others go on.
  using ContentVisitor = std::function<Status(const ContentId&, Bytes)>;
  using LostVisitor = std::function<Status(const ContentId&, const Error&)>;
  virtual Status readContents(std::span<const WantedContent> wanted, const ContentVisitor& take,
                              const LostVisitor& lost) = 0;
  // As readContents(), for those who need no bytes. A service proves to have what `source` (may be
  // null) has, where that is a folder.
  using VerifiedVisitor = std::function<Status(const ContentId&, int64_t bytes, bool proved)>;
  virtual Status verifyContents(std::span<const WantedContent> wanted, Place* source,
                                const VerifiedVisitor& take, const LostVisitor& lost);
  virtual Result<std::vector<BuildRecord>> builds() = 0;
  // By id, without their verdicts: memory does not grow with the reports kept.
  virtual Result<std::vector<RunRecord>> runs() = 0;
  virtual Result<RunWithLimitations> run(const std::string& id) = 0;  // Whole.
  // All of a run, not only the latest.
  virtual Result<std::vector<OutcomeRecord>> outcomes(const std::string& run) = 0;
  // Its own newest signed lists, and those that came to it along with copies.
  virtual Result<std::vector<TravellingList>> lists() = 0;
  virtual Status readList(const TravellingList& list, const LineVisitor& visit) = 0;
  virtual Result<std::vector<Hold>> holds() = 0;

  // Those of `contents` that are not kept. The kept ones stay until finish(), whatever garbage
  // collection does meanwhile.
  virtual Result<std::set<ContentId>> missing(std::span<const ContentId> contents) = 0;
  // Marks kept contents as damaged: missing() names them, and a put replaces them.
  virtual Status distrust(std::span<const ContentId> contents) {
    distrusted_.insert(contents.begin(), contents.end());
    return {};
  }
  // Contents first, then the records that name them. Says which were refused.
  virtual Result<std::vector<RefusedRecord>> put(ArtifactBatch batch) = 0;
  virtual Status putBuilds(std::span<const BuildRecord> builds) = 0;
  // Replaces what was kept under its id.
  virtual Status putRun(const RunWithLimitations& run) = 0;
  // Their artifacts, builds and run are kept already.
  virtual Status putOutcomes(std::span<const OutcomeRecord> outcomes) = 0;
  // Contents that no artifact names, until finish() without a list that does.
  virtual Status putContents(std::unordered_map<ContentId, Bytes> contents) = 0;
  // A list of another place, whose parts are kept already.
  virtual Status putList(const TravellingList& list) = 0;
  // Those of artifacts that are not there are left out; none is shortened.
  virtual Status putHolds(std::span<const Hold> holds) = 0;
  // After the last put.
  virtual Status finish() { return {}; }

  // Null where an index holds the records.
  virtual RecordObjects* recordObjects() { return nullptr; }
  // Since it was opened.
  virtual TransferCounts counts() const { return {}; }

 protected:
  std::set<ContentId> distrusted_;
};

inline std::string describe(const ArtifactRecord& record) {
  return record.name + " of " + record.producer;
}
inline std::string describe(const TravellingList& list) {
  return fmt::format("list {} of {} by key {}", list.counter, list.date, list.key);
}

enum class PlaceUse {
  kRead,
  kWrite,  // Made where there is none, as far as that is in our hands.
};

// With the client's settings for any place, without what identifies the client.
struct PlaceOptions : HttpOptions {
  std::string token;  // For a service, or "USER:PASSWORD" of a registry; empty: none.
  // Where parts of large contents wait for the rest; empty: nowhere.
  std::string partialFolder;
  // Objects of a bucket from this size on go in parts of that size: what is lost
  // with a connection is little, and small objects are one request. S3 takes no
  // parts below 5 MiB. In a registry such an object is a layer of its own, and smaller ones
  // share layers of twice that size.
  int64_t multipartBytes = int64_t{16} << 20;
  int64_t partBytes = int64_t{8} << 20;
};

// "http://…" or "https://…" is a service, "s3://BUCKET/PREFIX" a bucket,
// "oci://HOST/NAME:TAG" a registry, anything else a folder. Credentials, region and endpoint of a
// bucket come from AWS_* in the environment (docs/howto/mirroring.md).
Result<std::unique_ptr<Place>> openPlace(const std::string& location, PlaceUse use,
                                         const PlaceOptions& options);

// By the scheme alone; kUsage where Vintage does not know it.
Result<PlaceKind> placeKind(const std::string& location);

// Where an interrupted download of another run can be found: below the
// environment's XDG_CACHE_HOME or HOME; empty where neither is set.
std::string defaultPartialFolder();

// A registry's tag as a place. Its layout is in docs/reference/oci.md.
Result<std::unique_ptr<Place>> openRegistryPlace(const std::string& location, PlaceUse use,
                                                 const PlaceOptions& options);

// A bucket as a place. The layout of its objects is in docs/howto/mirroring.md.
Result<std::unique_ptr<Place>> openBucketPlace(const std::string& location, PlaceUse use,
                                               const PlaceOptions& options);

// An archive's folder as a place.
Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use,
                                               const PlaceOptions& options);

// An archive's service as a place.
Result<std::unique_ptr<Place>> openServicePlace(const std::string& location, PlaceUse use,
                                                const PlaceOptions& options);

}  // namespace vintage::archive

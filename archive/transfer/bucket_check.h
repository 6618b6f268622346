// Objects of records in a bucket that were lost or damaged: found, taken from earlier versions,
// removed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "archive/transfer/bucket_client.h"
#include "archive/transfer/place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

// The layout of docs/mirroring.md.
inline constexpr const char* kBucketMarker = "vintage-archive.json";
std::string blobKey(const ContentId& id);

// The bucket distrusts each damaged object until it was put again. Lives no longer than the bucket.
class BucketCheck {
 public:
  explicit BucketCheck(BucketClient& bucket) : bucket_(bucket) {}

  // Lists everything and reads all records. `content` sees the key of each content on the way.
  Status readAll(const RecordObjects::ProblemVisitor& report,
                 const std::function<void(const std::string&)>& content);
  // Puts what an earlier version in the bucket has whole.
  Status restore();
  // Removes what was not put again. Reports what cannot be removed.
  Status remove(const RecordObjects::ProblemVisitor& report);

  // Keys of what readAll() found damaged and nobody has put again since.
  const std::set<std::string>& damaged();

 private:
  Status noteDamaged(const std::string& key, const std::string& why,
                     const RecordObjects::ProblemVisitor& report);

  BucketClient& bucket_;
  std::set<std::string> damaged_;
};

}  // namespace vintage::archive::transfer

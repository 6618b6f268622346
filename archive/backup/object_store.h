// Objects by their keys: a folder, or a bucket below a prefix. Every key holds the SHA-256
// of its bytes: nobody overwrites an object, every read is checked, and names its object by that
// hash. An object survives a power cut once put() has returned.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/transfer/bucket_client.h"
#include "archive/transfer/place.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive {

// One thread at a time.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;
  // Keys below a folder, which ends in a slash; none where nothing is there.
  virtual Result<std::set<std::string>> list(const std::string& folder) = 0;
  // What list() gave survives a power cut too: whoever wrote it may have been killed.
  virtual Status settle() { return {}; }
  // What is there stays.
  virtual Status put(std::vector<StoredObject> objects) = 0;
  // In any order. `lost` gets what is missing or does not hash to its key; the others go on.
  // An error of either ends it.
  virtual Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
                      const Place::LostVisitor& lost) = 0;
};

// "s3://BUCKET/PREFIX" is a bucket, anything else a folder. A service is kUsage: it keeps
// no objects.
Result<std::unique_ptr<ObjectStore>> openObjectStore(const std::string& location,
                                                     const PlaceOptions& options);
std::unique_ptr<ObjectStore> makeFolderObjects(std::string folder, FileSystem& files);

}  // namespace vintage::archive

// Objects by their keys: a folder, or a bucket below a prefix. Every key holds the SHA-256
// of its bytes: nobody overwrites an object, and every read is checked. What put() has
// returned for survives a power cut.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/transfer/open_place.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive {

struct StoredObject {
  std::string key, hash;
  std::vector<std::byte> bytes;
};

struct WantedObject {
  std::string key, hash;
};

// One thread at a time.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;
  // Keys that begin so; none where nothing is there.
  virtual Result<std::set<std::string>> list(const std::string& prefix) = 0;
  // What list() gave survives a power cut too: whoever wrote it may have been killed.
  virtual Status settle() { return {}; }
  // What is there stays.
  virtual Status put(std::vector<StoredObject> objects) = 0;
  // In any order. `lost` gets what is missing or does not hash to its key; the others go on.
  // An error of either ends it.
  using Take = std::function<Status(const std::string& key, std::vector<std::byte> bytes)>;
  using Lost = std::function<Status(const std::string& key, const Error& error)>;
  virtual Status read(std::span<const WantedObject> wanted, const Take& take, const Lost& lost) = 0;
};

// "s3://BUCKET/PREFIX" is a bucket, anything else a folder. A service is kUsage: it keeps
// no objects.
Result<std::unique_ptr<ObjectStore>> openObjectStore(const std::string& location,
                                                     const PlaceOptions& options);
std::unique_ptr<ObjectStore> makeFolderObjects(std::string folder, FileSystem& files);

}  // namespace vintage::archive

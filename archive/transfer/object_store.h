// Objects by their keys: in a folder, in a bucket below a prefix, or in the packs of a registry.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/place.h"

namespace vintage::archive {

struct StoredObject {
  std::string key;
  ContentId hash;  // SHA-256 of the bytes; a bucket's server checks it.
  Bytes bytes;

  std::string_view body() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

struct WantedObject {
  std::string key;
  WantedContent content;
};

// An object survives a power cut once put() has returned, in a registry once finish() has. One
// thread at a time.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  // As a person would type it.
  virtual const std::string& name() const = 0;
  // All keys that begin so, which is up to a slash; none where nothing is there.
  virtual Result<std::vector<std::string>> list(const std::string& keyPrefix) = 0;
  // Makes objects that list() returned durable too: their writer may have been killed.
  virtual Status settle() { return {}; }
  // Existing objects stay. `next` is called until it returns null.
  using Next = std::function<std::unique_ptr<StoredObject>()>;
  virtual Status put(const Next& next) = 0;
  Status putAll(std::vector<StoredObject> objects);
  // Objects whose bytes hash to their content's id, in any order. `lost` gets what is missing or
  // damaged; the others go on. An error of either ends it.
  virtual Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
                      const Place::LostVisitor& lost) = 0;
  // After the last put.
  virtual Status finish() { return {}; }
};

// A store that an archive can be a place in (archive/transfer/object_place.cpp). The next put of an
// object that was distrusted replaces it.
class ArchiveObjects : public ObjectStore {
 public:
  // Names up to the next slash.
  virtual Result<std::vector<std::string>> folders(const std::string& keyPrefix) = 0;
  // Those of the keys that are not there.
  virtual Result<std::vector<std::string>> missing(std::vector<std::string> keys) = 0;
  // A small object; kNotFound. It is asked for again where `check` returns kBadInput.
  using Check = std::function<Status(const std::string&)>;
  virtual Result<std::string> readSmall(
      const std::string& key, const Check& check = [](const std::string&) { return Status(); }) = 0;
  void distrust(const std::string& key) { distrusted_.insert(key); }
  bool distrusts(const std::string& key) const { return distrusted_.contains(key); }
  // Where versions are kept, the object only hides.
  virtual Status remove(const std::string& key) = 0;
  // Objects as they were before, where versions are kept: whatever hashes to its id.
  virtual Status readVersions(std::span<const WantedObject>, const Place::ContentVisitor&) {
    return {};
  }
  // "versions are kept; object lock: GOVERNANCE for 30 days"; empty where there is nothing to say.
  virtual Result<std::string> protection() { return std::string(); }
  virtual TransferCounts counts() const = 0;

 protected:
  std::set<std::string> distrusted_;
};

// Opens the archive that lies in a store; with kWrite it is made where there is none.
Result<std::unique_ptr<Place>> openObjectPlace(std::unique_ptr<ArchiveObjects> objects,
                                               PlaceUse use);

}  // namespace vintage::archive

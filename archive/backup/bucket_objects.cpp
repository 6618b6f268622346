#include "archive/backup/object_store.h"

#include <map>

#include "archive/transfer/bucket_client.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

class BucketObjects final : public ObjectStore {
 public:
  BucketObjects(std::string name, BucketAddress address, const PlaceOptions& options)
      : name_(std::move(name)), bucket_(std::move(address), options) {}

  const std::string& name() const override { return name_; }

  Result<std::set<std::string>> list(const std::string& prefix) override {
    ASSIGN_OR_RETURN(const auto keys, bucket_.list(prefix));
    return std::set<std::string>(keys.begin(), keys.end());
  }

  Status put(std::vector<StoredObject> objects) override {
    size_t at = 0;
    return bucket_.put([&]() -> std::unique_ptr<BucketObject> {
      if (at == objects.size()) return nullptr;
      StoredObject& object = objects[at++];
      auto sent = std::make_unique<BucketObject>();
      sent->key = std::move(object.key);
      sent->hash = std::move(object.hash);
      sent->bytes = std::move(object.bytes);
      return sent;
    });
  }

  Status read(std::span<const WantedObject> wanted, const Take& take, const Lost& lost) override {
    std::vector<BucketClient::Wanted> objects;
    std::map<std::string, std::string> keyOf;
    for (const WantedObject& object : wanted) {
      objects.push_back({object.key, {object.hash}});
      keyOf.emplace(object.hash, object.key);
    }
    return bucket_.read(
        objects,
        [&](const ContentId& id, Bytes bytes) { return take(keyOf.at(id), std::move(bytes)); },
        [&](const ContentId& id, const Error& error) { return lost(keyOf.at(id), error); });
  }

 private:
  std::string name_;
  BucketClient bucket_;
};

}  // namespace

Result<std::unique_ptr<ObjectStore>> openObjectStore(const std::string& location,
                                                     const PlaceOptions& options) {
  ASSIGN_OR_RETURN(const PlaceKind kind, placeKind(location));
  if (kind == PlaceKind::kService)
    return usageError(
        "{}: a service keeps no backups; name a folder or s3://BUCKET/PREFIX, or copy records "
        "with 'vintage mirror'",
        location);
  if (kind == PlaceKind::kFolder) return makeFolderObjects(location, realFileSystem());
  ASSIGN_OR_RETURN(auto address, BucketAddress::find(location));
  return std::make_unique<BucketObjects>(location, std::move(address), options);
}

}  // namespace vintage::archive

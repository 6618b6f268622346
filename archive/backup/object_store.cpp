#include "archive/backup/backup.h"

#include <random>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/transfer/registry_objects.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr uint64_t kLargestObject = uint64_t{1} << 34;

class FolderObjects final : public ObjectStore {
 public:
  FolderObjects(std::string folder, FileSystem& files)
      : folder_(std::move(folder)), files_(files) {}

  const std::string& name() const override { return folder_; }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::vector<std::string> keys;
    RETURN_IF_ERROR(collect(folder, keys));
    return keys;
  }

  Status settle() override {
    const std::string objects = folder_ + "/objects";
    const auto names = files_.list(objects);
    if (!names && names.error().kind == Error::Kind::kNotFound) return {};
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : *names) RETURN_IF_ERROR(files_.syncFolder(objects + "/" + name));
    for (const std::string& folder : {objects, folder_, parentFolder(folder_)})
      RETURN_IF_ERROR(files_.syncFolder(folder));
    return {};
  }

  Status put(const Next& next) override {
    static thread_local std::mt19937_64 random{std::random_device{}()};
    std::set<std::string> folders;
    RETURN_IF_ERROR(createFoldersDurably(files_, folder_));
    while (const auto object = next()) {
      const std::string path = folder_ + "/" + object->key;
      ASSIGN_OR_RETURN(const auto there, files_.status(path));
      if (there) continue;
      // The names of new folders have to survive too, up to the store's own.
      for (std::string folder = parentFolder(path); folder.size() >= folder_.size();
           folder = parentFolder(folder)) {
        folders.insert(folder);
        if (folder == folder_) break;
      }
      RETURN_IF_ERROR(files_.createFolders(parentFolder(path)));
      const std::string temporary =
          fmt::format("{}.{}.{:016x}{}", path, ::getpid(), random(), kTemporaryEnding);
      RETURN_IF_ERROR(writeWhole(files_, temporary, path, object->bytes));
    }
    // The inner ones first.
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
      RETURN_IF_ERROR(files_.syncFolder(*folder));
    return folders.empty() ? Status() : files_.syncFolder(parentFolder(folder_));
  }

  Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
              const Place::LostVisitor& lost) override {
    for (const WantedObject& object : wanted) {
      const std::string path = folder_ + "/" + object.key;
      const ContentId& hash = object.content.id;
      auto bytes = files_.read(path, kLargestObject);
      if (!bytes && bytes.error().kind == Error::Kind::kResource)
        return tl::unexpected(bytes.error());
      if (!bytes) {
        RETURN_IF_ERROR(lost(hash, bytes.error()));
      } else if (contentHash(*bytes) != hash) {
        RETURN_IF_ERROR(
            lost(hash, {Error::Kind::kBadInput, path + ": it does not hash to its name"}));
      } else {
        RETURN_IF_ERROR(take(hash, std::move(*bytes)));
      }
    }
    return {};
  }

 private:
  Status collect(const std::string& key, std::vector<std::string>& keys) {
    const auto names = files_.list(folder_ + "/" + key);
    if (!names && names.error().kind == Error::Kind::kNotFound) return {};
    if (!names) return tl::unexpected(names.error());
    for (const std::string& name : *names) {
      const std::string inner = key + name;
      if (name.ends_with(kTemporaryEnding)) continue;
      ASSIGN_OR_RETURN(const auto status, files_.status(folder_ + "/" + inner));
      if (!status) continue;
      if (status->isFolder) {
        RETURN_IF_ERROR(collect(inner + "/", keys));
      } else {
        keys.push_back(inner);
      }
    }
    return {};
  }

  static constexpr std::string_view kTemporaryEnding = ".tmp";
  std::string folder_;
  FileSystem& files_;
};

}  // namespace

std::unique_ptr<ObjectStore> makeFolderObjects(std::string folder, FileSystem& files) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return std::make_unique<FolderObjects>(std::move(folder), files);
}

Result<std::unique_ptr<ObjectStore>> openObjectStore(const std::string& location,
                                                     const PlaceOptions& options) {
  ASSIGN_OR_RETURN(const PlaceKind kind, placeKind(location));
  if (kind == PlaceKind::kService)
    return usageError(
        "{}: a service keeps no backups; name a folder, s3://BUCKET/PREFIX or oci://HOST/NAME:TAG, "
        "or copy records "
        "with 'vintage mirror'",
        location);
  if (kind == PlaceKind::kFolder) return makeFolderObjects(location, realFileSystem());
  if (kind == PlaceKind::kRegistry) {
    ASSIGN_OR_RETURN(auto address, RegistryAddress::find(location, options));
    auto objects = std::make_unique<RegistryObjects>(std::move(address), PlaceUse::kWrite, options);
    RETURN_IF_ERROR(objects->open());
    return objects;
  }
  ASSIGN_OR_RETURN(auto address, BucketAddress::find(location));
  return std::make_unique<BucketClient>(std::move(address), options);
}

}  // namespace vintage::archive

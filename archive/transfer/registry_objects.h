// Objects in the packs of a registry: an image manifest whose layers are packs (many objects one
// after another) and tables (which object lies where). docs/reference/oci.md has the layout.
//
// Objects under "lists/", which are signatures, are the layers of a manifest that refers to the
// archive's, so that signing changes no archive and any tool finds them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/object_store.h"
#include "archive/transfer/registry_client.h"

namespace vintage::archive {

inline constexpr std::string_view kListFolder = "lists/";
inline constexpr const char* kArchiveType = "application/vnd.vintage.archive.v1";
inline constexpr const char* kPackType = "application/vnd.vintage.pack.v1";
inline constexpr const char* kTableType = "application/vnd.vintage.table.v1";
inline constexpr const char* kListsType = "application/vnd.vintage.signed-lists.v1";

struct Blob {
  std::string hash;
  uint64_t bytes = 0;
  bool isPack = false;
};

class RegistryObjects final : public ArchiveObjects {
 public:
  RegistryObjects(RegistryAddress address, PlaceUse use, const PlaceOptions& options);
  // kNotFound where there is no such tag, kUnsupported where it holds something else.
  Status open();

  const std::string& name() const override { return client_.name(); }
  Result<std::vector<std::string>> list(const std::string& keyPrefix) override;
  Result<std::vector<std::string>> folders(const std::string& keyPrefix) override;
  Result<std::vector<std::string>> missing(std::vector<std::string> keys) override;
  Status put(const Next& next) override;
  Status read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
              const Place::LostVisitor& lost) override;
  Result<std::string> readSmall(
      const std::string& key,
      const Check& check = [](const std::string&) { return Status(); }) override;
  Status remove(const std::string& key) override;
  Status finish() override;
  TransferCounts counts() const override { return client_.counts(); }

 private:
  struct Object {
    size_t blob;  // Among blobs_.
    uint64_t offset, bytes;
  };
  struct Pack {
    Bytes bytes;
    std::map<std::string, Object> objects;  // By their keys.
  };

  bool has(const std::string& key) const {
    return objects_.contains(key) || waiting_.objects.contains(key);
  }
  size_t blobOf(const Blob& blob);
  void append(Pack& pack, std::unique_ptr<StoredObject> object, bool again);
  Status send(Pack pack);
  Status sendWaiting() {
    return waiting_.objects.empty() ? Status() : send(std::exchange(waiting_, {}));
  }
  Result<Blob> upload(std::string_view text);

  // archive/transfer/registry_manifest.cpp: what is under the tag, then what was put since.
  Status load();
  // `own`: of packs that no manifest names yet.
  Status readTable(std::string_view text, const std::string& place, bool own);
  Result<std::vector<Blob>> readManifest(const std::string& text);
  Status readLists();
  // Moves the tag to a manifest with all that was put.
  Status commit();
  std::string manifestText(const Blob& lastTable, const Blob& config) const;
  Status putLists();

  RegistryClient client_;
  PlaceUse use_;
  uint64_t ownPackBytes_;     // Objects from this size on have a pack of their own.
  std::string manifest_;      // Last seen under the tag; empty: there is no tag.
  std::vector<Blob> tables_;  // Those that are full.
  std::string tail_;          // The last table, which has room.
  std::string fresh_;         // Lines about packs that no manifest names yet.
  uint64_t freshBytes_ = 0;
  std::vector<Blob> blobs_;
  std::map<std::string, size_t> blobIndex_;  // By hash.
  std::map<std::string, Object> objects_;
  Pack waiting_;
  std::map<std::string, Blob> lists_;  // By their keys.
  bool listsChanged_ = false;
};

}  // namespace vintage::archive

#include "archive/transfer/registry_objects.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "archive/transfer/record_objects.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

// After so many bytes the tag moves, so that an interrupted push goes on from there.
constexpr uint64_t kCommitBytes = uint64_t{256} << 20;
// Parts of a pack are read in one request where no more lies between them, up to a size.
constexpr uint64_t kGap = uint64_t{64} << 10, kSegmentBytes = uint64_t{8} << 20;

}  // namespace

RegistryObjects::RegistryObjects(RegistryAddress address, PlaceUse use, const PlaceOptions& options)
    : client_(std::move(address), use, options),
      use_(use),
      ownPackBytes_(static_cast<uint64_t>(options.multipartBytes)) {}

Status RegistryObjects::open() {
  RETURN_IF_ERROR(load());
  if (!manifest_.empty() || use_ == PlaceUse::kWrite) return {};
  return notFound(
      "{}: the registry has no tag '{}' of {}; 'vintage push' or 'vintage mirror' makes one",
      name(), client_.address().tag, client_.address().repository);
}

Result<std::vector<std::string>> RegistryObjects::list(const std::string& keyPrefix) {
  std::vector<std::string> keys;
  for (auto object = objects_.lower_bound(keyPrefix);
       object != objects_.end() && object->first.starts_with(keyPrefix); ++object)
    keys.push_back(object->first);
  for (const auto& [key, object] : waiting_.objects)
    if (key.starts_with(keyPrefix) && !objects_.contains(key)) keys.push_back(key);
  return keys;
}

Result<std::vector<std::string>> RegistryObjects::folders(const std::string& keyPrefix) {
  ASSIGN_OR_RETURN(const auto keys, list(keyPrefix));
  std::set<std::string> folders;
  for (const std::string& key : keys)
    if (const size_t slash = key.find('/', keyPrefix.size()); slash != std::string::npos)
      folders.insert(key.substr(0, slash + 1));
  return std::vector(folders.begin(), folders.end());
}

Result<std::vector<std::string>> RegistryObjects::missing(std::vector<std::string> keys) {
  std::erase_if(keys, [&](const std::string& key) { return has(key); });
  return keys;
}

// A damaged pack cannot be put again under its hash: registries keep what they have. So a new one
// begins with bytes that no other pack of this archive begins with.
void RegistryObjects::append(Pack& pack, std::unique_ptr<StoredObject> object, bool again) {
  if (again) pack.bytes.insert(pack.bytes.end(), blobs_.size() + 1, std::byte{'\n'});
  pack.objects[object->key] = {0, pack.bytes.size(), object->bytes.size()};
  if (pack.bytes.empty())
    pack.bytes = std::move(object->bytes);
  else
    pack.bytes.insert(pack.bytes.end(), object->bytes.begin(), object->bytes.end());
}

Status RegistryObjects::put(const Next& next) {
  while (auto object = next()) {
    const bool again = distrusted_.erase(object->key) > 0;
    if (has(object->key) && !again) continue;
    Pack own;
    const bool isList = object->key.starts_with(kListFolder);
    const bool isOwn = isList || object->bytes.size() >= ownPackBytes_;
    // Records come after the contents that they name.
    if (isOwn && object->key.ends_with(".json")) RETURN_IF_ERROR(sendWaiting());
    append(isOwn ? own : waiting_, std::move(object), again && !isList);
    if (isOwn) RETURN_IF_ERROR(send(std::move(own)));
    if (waiting_.bytes.size() >= 2 * ownPackBytes_) RETURN_IF_ERROR(sendWaiting());
    if (freshBytes_ >= kCommitBytes) RETURN_IF_ERROR(commit());
  }
  return {};
}

Status RegistryObjects::send(Pack pack) {
  const std::string_view body(reinterpret_cast<const char*>(pack.bytes.data()), pack.bytes.size());
  ASSIGN_OR_RETURN(const Blob blob, upload(body));
  const size_t index = blobOf(blob);
  if (const std::string& key = pack.objects.begin()->first; key.starts_with(kListFolder)) {
    lists_[key] = blob;
    objects_[key] = {index, 0, blob.bytes};
    listsChanged_ = true;
    return {};
  }
  blobs_[index].isPack = true;
  fresh_ += fmt::format("pack {} {}\n", blob.hash, blob.bytes);
  freshBytes_ += blob.bytes;
  for (auto& [key, object] : pack.objects) {
    fresh_ += fmt::format("{} {} {}\n", object.offset, object.bytes, key);
    object.blob = index;
    objects_[key] = object;
  }
  return {};
}

Result<Blob> RegistryObjects::upload(std::string_view text) {
  Blob blob{contentHash(text), text.size()};
  RETURN_IF_ERROR(client_.upload(text, blob.hash));
  return blob;
}

Status RegistryObjects::read(std::span<const WantedObject> wanted,
                             const Place::ContentVisitor& take, const Place::LostVisitor& lost) {
  if (std::ranges::any_of(
          wanted, [&](const WantedObject& one) { return waiting_.objects.contains(one.key); }))
    RETURN_IF_ERROR(sendWaiting());
  std::vector<std::pair<Object, const WantedObject*>> found;
  std::vector<WantedContent> whole;
  for (const WantedObject& one : wanted) {
    const auto object = objects_.find(one.key);
    if (object == objects_.end()) {
      RETURN_IF_ERROR(lost(one.content.id, {Error::Kind::kNotFound,
                                            fmt::format("{}: there is no {}", name(), one.key)}));
      continue;
    }
    const Blob& blob = blobs_[object->second.blob];
    if (object->second.bytes == 0 && one.content.id == contentHash(std::string_view()))
      RETURN_IF_ERROR(take(one.content.id, {}));
    else if (blob.hash == one.content.id)
      whole.push_back({one.content.id, static_cast<int64_t>(blob.bytes)});
    else
      found.emplace_back(object->second, &one);
  }
  std::ranges::sort(found, {},
                    [](const auto& one) { return std::tuple(one.first.blob, one.first.offset); });
  std::vector<BlobSegment> segments;
  size_t last = 0;
  uint64_t begin = 0, end = 0;
  for (const auto& [object, one] : found) {
    const bool isNear = !segments.empty() && object.blob == last && object.offset <= end + kGap &&
                        object.offset + object.bytes <= begin + kSegmentBytes;
    if (!isNear) {
      segments.push_back({blobs_[object.blob].hash, {}});
      begin = object.offset;
      last = object.blob;
    }
    segments.back().parts.push_back({object.offset, object.bytes, one->content.id, one->key});
    end = object.offset + object.bytes;
  }
  RETURN_IF_ERROR(client_.download(whole, take, lost));
  return client_.read(
      std::move(segments),
      [&](const BlobPart& part, Bytes bytes) { return take(part.id, std::move(bytes)); },
      [&](const BlobPart& part, const Error& error) { return lost(part.id, error); });
}

Result<std::string> RegistryObjects::readSmall(const std::string& key, const Check& check) {
  RETURN_IF_ERROR(sendWaiting());
  const auto object = objects_.find(key);
  if (object == objects_.end()) return notFound("{}: there is no {}", name(), key);
  std::string text;
  RETURN_IF_ERROR(client_.read(
      {{blobs_[object->second.blob].hash,
        {{object->second.offset, object->second.bytes, {}, key}}}},
      [&](const BlobPart&, const Bytes& bytes) {
        text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return check(text);
      },
      [&](const BlobPart&, const Error& error) { return Status(tl::unexpected(error)); }));
  return text;
}

Status RegistryObjects::remove(const std::string& key) {
  RETURN_IF_ERROR(sendWaiting());
  distrusted_.erase(key);
  if (objects_.erase(key) == 0) return {};
  lists_.erase(key);
  fresh_ += fmt::format("- {}\n", key);
  return {};
}

Status RegistryObjects::finish() {
  RETURN_IF_ERROR(sendWaiting());
  if (!fresh_.empty()) RETURN_IF_ERROR(commit());
  return listsChanged_ ? putLists() : Status();
}

size_t RegistryObjects::blobOf(const Blob& blob) {
  const auto [place, isNew] = blobIndex_.try_emplace(blob.hash, blobs_.size());
  if (isNew) blobs_.push_back(blob);
  return place->second;
}

Result<std::unique_ptr<Place>> openRegistryPlace(const std::string& location, PlaceUse use,
                                                 const PlaceOptions& options) {
  ASSIGN_OR_RETURN(auto address, RegistryAddress::find(location, options));
  auto objects = std::make_unique<RegistryObjects>(std::move(address), use, options);
  RETURN_IF_ERROR(objects->open());
  return openObjectPlace(std::move(objects), use);
}

}  // namespace vintage::archive

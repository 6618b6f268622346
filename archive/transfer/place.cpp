#include "archive/transfer/place.h"

#include <algorithm>
#include <cstdlib>

#include "archive/store/records.h"
#include "golden/base/failures.h"
#include "golden/base/user_folder.h"

namespace vintage::archive {
namespace {

struct Scheme {
  std::string_view beginning;
  PlaceKind kind;
  Result<std::unique_ptr<Place>> (*open)(const std::string&, PlaceUse, const PlaceOptions&);
};
constexpr Scheme kSchemes[] = {{"http://", PlaceKind::kService, openServicePlace},
                               {"https://", PlaceKind::kService, openServicePlace},
                               {"s3://", PlaceKind::kBucket, openBucketPlace},
                               {"oci://", PlaceKind::kRegistry, openRegistryPlace},
                               {"oci+http://", PlaceKind::kRegistry, openRegistryPlace}};
constexpr Scheme kFolder{"", PlaceKind::kFolder, openFolderPlace};

Result<Scheme> schemeOf(const std::string& location) {
  for (const Scheme& scheme : kSchemes)
    if (location.starts_with(scheme.beginning)) return scheme;
  if (const size_t end = location.find("://"); end != std::string::npos)
    return usageError(
        "'{}': Vintage does not know {}://; name http://HOST:PORT, https://HOST:PORT, "
        "s3://BUCKET/PREFIX, oci://HOST/NAME:TAG or a folder",
        location, location.substr(0, end));
  if (const size_t colon = location.rfind(':');
      colon != std::string::npos && colon + 1 < location.size() &&
      location.find('/') == std::string::npos &&
      location.find_first_not_of("0123456789", colon + 1) == std::string::npos)
    return usageError("'{}': name a service as http://{} or https://{}, a folder as ./{}", location,
                      location, location, location);
  return kFolder;
}

}  // namespace

Result<std::vector<bool>> Place::hasArtifacts(std::span<const ArtifactRecord> records) {
  std::set<ContentId> ids;
  Date from = records.front().buildDate, until = from;
  for (const ArtifactRecord& record : records) {
    ids.insert(record.id);
    from = std::min(from, record.buildDate);
    until = std::max(until, record.buildDate);
  }
  ASSIGN_OR_RETURN(const auto kept, artifactsOf(std::vector(ids.begin(), ids.end()), from, until));
  std::unordered_multimap<ContentId, const ArtifactRecord*> byId;
  for (const ArtifactRecord& record : kept) byId.emplace(record.id, &record);
  std::vector<bool> there;
  for (const ArtifactRecord& record : records) {
    const auto [first, last] = byId.equal_range(record.id);
    there.push_back(
        std::any_of(first, last, [&](const auto& entry) { return covers(*entry.second, record); }));
  }
  return there;
}

Status Place::verifyContents(std::span<const WantedContent> wanted, Place*,
                             const VerifiedVisitor& take, const LostVisitor& lost) {
  return readContents(
      wanted,
      [&](const ContentId& id, const Bytes& bytes) {
        return take(id, static_cast<int64_t>(bytes.size()), false);
      },
      lost);
}

Result<PlaceKind> placeKind(const std::string& location) {
  ASSIGN_OR_RETURN(const Scheme scheme, schemeOf(location));
  return scheme.kind;
}

Result<std::unique_ptr<Place>> openPlace(const std::string& location, PlaceUse use,
                                         const PlaceOptions& options) {
  ASSIGN_OR_RETURN(const Scheme scheme, schemeOf(location));
  return scheme.open(location, use, options);
}

std::string defaultPartialFolder() {
  const auto cache = userFolder("XDG_CACHE_HOME", ".cache");
  return cache.empty() ? std::string() : (cache / "vintage/partial").string();
}

}  // namespace vintage::archive

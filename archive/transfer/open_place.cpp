#include "archive/transfer/open_place.h"

#include <cstdlib>

#include "golden/base/failures.h"

namespace vintage::archive {

namespace {

struct Scheme {
  std::string_view beginning;
  PlaceKind kind;
  Result<std::unique_ptr<Place>> (*open)(const std::string&, PlaceUse, const PlaceOptions&);
};
constexpr Scheme kSchemes[] = {{"http://", PlaceKind::kService, openServicePlace},
                               {"https://", PlaceKind::kService, openServicePlace},
                               {"s3://", PlaceKind::kBucket, openBucketPlace}};
constexpr Scheme kFolder{"", PlaceKind::kFolder, openFolderPlace};

Result<Scheme> schemeOf(const std::string& location) {
  for (const Scheme& scheme : kSchemes) {
    if (location.starts_with(scheme.beginning)) return scheme;
  }
  if (const size_t end = location.find("://"); end != std::string::npos)
    return usageError(
        "'{}': Vintage does not know {}://; name http://HOST:PORT, https://HOST:PORT, "
        "s3://BUCKET/PREFIX or a folder",
        location, location.substr(0, end));
  return kFolder;
}

}  // namespace

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
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/vintage/partial";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/vintage/partial";
  return {};
}

}  // namespace vintage::archive

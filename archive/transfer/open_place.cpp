#include "archive/transfer/open_place.h"

#include <cstdlib>

#include "golden/base/failures.h"

namespace vintage::archive::transfer {

Result<std::unique_ptr<Place>> openPlace(const std::string& location, PlaceUse use,
                                         const PlaceOptions& options) {
  if (location.starts_with("http://") || location.starts_with("https://"))
    return openServicePlace(location, use, options);
  if (location.starts_with("s3://")) return openBucketPlace(location, use, options);
  if (const size_t scheme = location.find("://"); scheme != std::string::npos)
    return usageError(
        "'{}': Vintage does not know {}://; name http://HOST:PORT, https://HOST:PORT, "
        "s3://BUCKET/PREFIX or a folder",
        location, location.substr(0, scheme));
  return openFolderPlace(location, use);
}

std::string defaultPartialFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/vintage/partial";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/vintage/partial";
  return {};
}

}  // namespace vintage::archive::transfer

// From what a person types to a place.
#pragma once

#include <memory>
#include <string>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "golden/base/result.h"

namespace vintage::archive {

enum class PlaceUse {
  kRead,
  kWrite,  // Made where there is none, as far as that is in our hands.
};

struct PlaceOptions {
  int jobs = 16;
  std::string caCertificate;
  std::string token;  // For a service; empty: none.
  // Where parts of large contents wait for the rest; empty: nowhere.
  std::string partialFolder;
  RetryPolicy retry;
  std::chrono::seconds stallTimeout{60};
  // Objects of a bucket from this size on go in parts of that size: what is lost
  // with a connection is little, and small objects are one request. S3 takes no
  // parts below 5 MiB.
  int64_t multipartBytes = int64_t{16} << 20;
  int64_t partBytes = int64_t{8} << 20;
};

// "http://…" or "https://…" is a service, "s3://BUCKET/PREFIX" a bucket, anything
// else a folder. Credentials, region and endpoint of a bucket come from AWS_*
// in the environment (docs/mirroring.md).
Result<std::unique_ptr<Place>> openPlace(const std::string& location, PlaceUse use,
                                         const PlaceOptions& options);

// By the scheme alone; kUsage where Vintage does not know it.
Result<PlaceKind> placeKind(const std::string& location);

// Where an interrupted download of another run can be found: below the
// environment's XDG_CACHE_HOME or HOME; empty where neither is set.
std::string defaultPartialFolder();

// A bucket as a place. The layout of its objects is in docs/mirroring.md.
Result<std::unique_ptr<Place>> openBucketPlace(const std::string& location, PlaceUse use,
                                               const PlaceOptions& options);

// An archive's folder as a place.
Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use,
                                               const PlaceOptions& options);

// An archive's service as a place.
Result<std::unique_ptr<Place>> openServicePlace(const std::string& location, PlaceUse use,
                                                const PlaceOptions& options);

// The client's settings for any place, without what identifies the client.
inline HttpOptions httpOptionsOf(const PlaceOptions& options) {
  HttpOptions http;
  http.jobs = options.jobs;
  http.caCertificate = options.caCertificate;
  http.retry = options.retry;
  http.stallTimeout = options.stallTimeout;
  return http;
}

}  // namespace vintage::archive

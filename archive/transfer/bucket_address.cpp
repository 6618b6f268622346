// A bucket's address and keys, from the location that a person typed and the environment.
#include <cstdlib>
#include <initializer_list>

#include "archive/transfer/bucket_client.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

std::string environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

}  // namespace

Result<BucketAddress> BucketAddress::find(const std::string& location) {
  constexpr std::string_view kScheme = "s3://";
  std::string rest = location.substr(kScheme.size());
  while (rest.ends_with('/')) rest.pop_back();
  BucketAddress address;
  address.location = location;
  const size_t slash = rest.find('/');
  address.bucket = rest.substr(0, slash);
  if (slash != std::string::npos) address.prefix = rest.substr(slash + 1);
  if (address.bucket.empty() || address.prefix.starts_with('/'))
    return usageError("'{}' names no bucket; a bucket is s3://BUCKET or s3://BUCKET/PREFIX",
                      location);
  address.region = environment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (address.region.empty()) address.region = "us-east-1";
  std::string endpoint = environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (endpoint.empty()) endpoint = fmt::format("https://s3.{}.amazonaws.com", address.region);
  ASSIGN_OR_RETURN(address.endpoint, within("AWS_ENDPOINT_URL", checkedBaseUrl(endpoint)));
  const std::pair<const char*, std::string*> keys[] = {
      {"AWS_ACCESS_KEY_ID", &address.accessKey}, {"AWS_SECRET_ACCESS_KEY", &address.secretKey}};
  for (const auto& [name, place] : keys) {
    *place = environment({name});
    if (place->empty())
      return usageError(
          "{}: {} is not set in the environment; a bucket needs AWS_ACCESS_KEY_ID and "
          "AWS_SECRET_ACCESS_KEY",
          location, name);
  }
  address.sessionToken = environment({"AWS_SESSION_TOKEN"});
  return address;
}

}  // namespace vintage::archive

// The OCI distribution API for one repository of a registry: blobs, manifests, referrers.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/http_client.h"
#include "archive/transfer/place.h"
#include "archive/transfer/registry_address.h"
#include "archive/transfer/registry_login.h"

namespace vintage::archive {

// A part of a blob, and whose bytes it is.
struct BlobPart {
  uint64_t offset = 0, bytes = 0;
  ContentId id;  // Empty: not checked.
  std::string key;
};
// Parts near each other in one blob, by their offsets: one request.
struct BlobSegment {
  std::string blob;  // Its hash.
  std::vector<BlobPart> parts;
};

// Puts a blob where the registry does not have it. One larger than `chunkBytes` goes in chunks, and
// continues where the registry stands after an interruption. The bytes outlive it.
std::unique_ptr<HttpExchange> uploadBlob(const std::string& repositoryUrl, std::string_view bytes,
                                         const std::string& hash, size_t chunkBytes);
// Parts come by their keys, each once.
using TakePart = std::function<Status(const BlobPart&, Bytes)>;
using LosePart = std::function<Status(const BlobPart&, const Error&)>;
std::unique_ptr<HttpExchange> readSegment(const std::string& repositoryUrl, BlobSegment segment,
                                          TakePart take, LosePart lost);

class RegistryClient {
 public:
  RegistryClient(RegistryAddress address, PlaceUse use, const PlaceOptions& options);

  const RegistryAddress& address() const { return address_; }
  const std::string& name() const { return address_.location; }
  // By a tag or "sha256:…", whatever kind it has; none where there is none.
  Result<std::optional<std::string>> manifest(const std::string& reference);
  // Its descriptors say what refers to the manifest "sha256:…"; none where nothing does.
  Result<std::optional<std::string>> referrers(const std::string& digest);
  // Whether the registry said that it lists the manifest among its subject's referrers.
  Result<bool> putManifest(const std::string& reference, const std::string& text);
  Status upload(std::string_view bytes, const std::string& hash);
  Status read(std::vector<BlobSegment> segments, const TakePart& take, const LosePart& lost);
  // Whole blobs of the contents' hashes, which continue in the folder for parts.
  Status download(std::span<const WantedContent> wanted, const Place::ContentVisitor& take,
                  const Place::LostVisitor& lost);
  const TransferCounts& counts() const { return http_.counts(); }

 private:
  // The answer; nothing for a status of `none`.
  Result<std::optional<HttpResponse>> ask(const std::string& what, HttpRequest request,
                                          std::vector<int> none = {404});

  const RegistryAddress address_;
  std::string url_;  // "https://ghcr.io/v2/team/archive"
  std::string partialFolder_;
  size_t chunkBytes_;
  RegistryLogin login_;
  HttpClient http_;
};

// Registries take no larger manifests.
inline constexpr size_t kLargestManifest = size_t{4} << 20;
inline constexpr const char* kManifestType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr const char* kIndexType = "application/vnd.oci.image.index.v1+json";

}  // namespace vintage::archive

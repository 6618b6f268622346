#include "archive/transfer/registry_client.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/store/record_json.h"
#include "archive/transfer/exchanges.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"

namespace vintage::archive {

RegistryClient::RegistryClient(RegistryAddress address, PlaceUse use, const PlaceOptions& options)
    : address_(std::move(address)),
      url_(fmt::format("{}/v2/{}", address_.base, address_.repository)),
      partialFolder_(options.partialFolder),
      chunkBytes_(static_cast<size_t>(2 * options.multipartBytes)),
      login_{address_, use == PlaceUse::kWrite, {}},
      http_(options) {}

Result<std::optional<HttpResponse>> RegistryClient::ask(const std::string& what,
                                                        HttpRequest request,
                                                        std::vector<int> none) {
  std::optional<HttpResponse> answer;
  const std::string body(request.body);
  RETURN_IF_ERROR(http_.perform(authorized(
      std::make_unique<SimpleExchange>(what, std::move(request), body,
                                       [&](HttpResponse& response) -> Result<HttpExchange::Next> {
                                         if (std::ranges::find(none, response.status) != none.end())
                                           return HttpExchange::Next::kDone;
                                         if (response.status >= 300)
                                           return tl::unexpected(errorOfResponse(what, response));
                                         answer = std::move(response);
                                         return HttpExchange::Next::kDone;
                                       }),
      login_)));
  return answer;
}

Result<std::optional<std::string>> RegistryClient::manifest(const std::string& reference) {
  const std::string url = fmt::format("{}/manifests/{}", url_, reference);
  // With other kinds, to name what is there.
  const std::string accepted = fmt::format(
      "Accept: {}, {}, application/vnd.docker.distribution.manifest.v2+json, "
      "application/vnd.docker.distribution.manifest.list.v2+json, */*",
      kManifestType, kIndexType);
  ASSIGN_OR_RETURN(auto answer, ask("read " + url, {"GET", url, {accepted}, {}, true}));
  if (!answer) return std::nullopt;
  if (answer->body.size() > kLargestManifest)
    return badInput("read {}: the manifest has {} bytes, and none has more than {}", url,
                    answer->body.size(), kLargestManifest);
  const std::string digest = "sha256:" + contentHash(answer->body);
  const std::string stated =
      reference.starts_with("sha256:") ? reference : answer->header("docker-content-digest");
  if (!stated.empty() && stated != digest)
    return badInput("read {}: the manifest should be {}, and its {} bytes hash to {}", url, stated,
                    answer->body.size(), digest);
  return std::move(answer->body);
}

Result<std::optional<std::string>> RegistryClient::referrers(const std::string& digest) {
  const std::string url = fmt::format("{}/referrers/{}", url_, digest);
  ASSIGN_OR_RETURN(auto answer,
                   ask("read " + url, {"GET", url, {fmt::format("Accept: {}", kIndexType)}, {}},
                       {400, 404, 405, 501}));
  if (answer) return std::move(answer->body);
  // A registry without this part of the API: the tag that OCI's specification names for it.
  std::string tag = digest;
  tag[tag.find(':')] = '-';
  return manifest(tag);
}

Result<bool> RegistryClient::putManifest(const std::string& reference, const std::string& text) {
  const std::string url = fmt::format("{}/manifests/{}", url_, reference);
  const std::string what = "write " + url;
  if (text.size() > kLargestManifest)
    return unsupported(
        "{}: the manifest has {} bytes, and registries take {}: go on with another tag, where "
        "the packs that both have are not sent again",
        what, text.size(), kLargestManifest);
  const auto json = nlohmann::json::parse(text);
  const std::string type = fmt::format("Content-Type: {}", textIn(json, "mediaType"));
  ASSIGN_OR_RETURN(const auto answer, ask(what, {"PUT", url, {type}, text}));
  if (!answer) return notFound("{}: the registry has no {}", what, address_.repository);
  const std::string digest = "sha256:" + contentHash(text);
  if (const std::string& kept = answer->header("docker-content-digest");
      !kept.empty() && kept != digest)
    return ioError("{}: the registry kept {} instead of {}: something between changes manifests",
                   what, kept, digest);
  return !answer->header("oci-subject").empty();
}

Status RegistryClient::upload(std::string_view bytes, const std::string& hash) {
  return http_.perform(authorized(uploadBlob(url_, bytes, hash, chunkBytes_), login_));
}

Status RegistryClient::read(std::vector<BlobSegment> segments, const TakePart& take,
                            const LosePart& lost) {
  size_t at = 0;
  return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (at == segments.size()) return nullptr;
    return authorized(readSegment(url_, std::move(segments[at++]), take, lost), login_);
  });
}

Status RegistryClient::download(std::span<const WantedContent> wanted,
                                const Place::ContentVisitor& take, const Place::LostVisitor& lost) {
  size_t at = 0;
  return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (at == wanted.size()) return nullptr;
    const WantedContent& one = wanted[at++];
    return authorized(
        downloadContent(
            {fmt::format("{}/blobs/sha256:{}", url_, one.id), {}, one, partialFolder_, true}, take,
            lost),
        login_);
  });
}

}  // namespace vintage::archive

// A large object of a bucket as parts, and those that a bucket already has of it.
#include <algorithm>
#include <array>
#include <charconv>

#include <openssl/evp.h>

#include "archive/store/records.h"
#include "archive/transfer/bucket_request.h"
#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/http_client.h"
#include "golden/base/lowercase.h"

namespace vintage::archive {
namespace {

constexpr size_t kMostParts = 10'000;
constexpr size_t kMd5Bytes = 16;

// False where there is no MD5 here: some machines are set up without it.
bool md5Of(std::string_view bytes, std::array<unsigned char, kMd5Bytes>& digest) {
  unsigned int length = 0;
  return EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_md5(), nullptr) == 1 &&
         length == kMd5Bytes;
}

// For one key: more exist only after many clients were killed.
constexpr size_t kUploadsLookedAt = 10;

uint64_t numberIn(const XmlElement& xml, std::string_view element) {
  uint64_t number = 0;
  const std::string text = xml.textOf(element).value_or("");
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Empty where the server refuses an answer, or gives half of one: keys that may write need not be
// allowed to list uploads, and what is not found is sent again.
Result<std::optional<XmlElement>> ask(HttpClient& http, const std::string& what,
                                      const std::string& url) {
  ASSIGN_OR_RETURN(const HttpResponse response, http.ask(what, requestWithoutBody("GET", url)));
  auto answer = parseXml(response.body);
  if (response.status != 200 || !answer) return std::nullopt;
  return std::move(*answer);
}

Result<std::vector<std::string>> uploadsOf(HttpClient& http, const ObjectTarget& target) {
  std::string url = target.bucketUrl;
  addParameter(url, "prefix", target.key);
  addParameter(url, "uploads", "");
  ASSIGN_OR_RETURN(const auto answer,
                   ask(http, "list unfinished uploads of " + target.objectUrl, url));
  std::vector<std::string> ids;
  if (!answer) return ids;
  for (const XmlElement* upload : answer->named("Upload")) {
    const auto id = upload->textOf("UploadId");
    if (upload->textOf("Key") == target.key && id && !id->empty()) ids.push_back(*id);
  }
  // The last ones: S3 lists them by their age.
  if (ids.size() > kUploadsLookedAt)
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(kUploadsLookedAt));
  return ids;
}

Result<std::optional<PartEtags>> partsOf(HttpClient& http, const ObjectTarget& target,
                                         const ObjectParts& parts, const std::string& upload) {
  PartEtags etags(parts.count());
  for (uint64_t after = 0;;) {
    std::string url = target.objectUrl;
    // In the order of their names, as the signature wants them.
    if (after > 0) addParameter(url, "part-number-marker", std::to_string(after));
    addParameter(url, "uploadId", upload);
    ASSIGN_OR_RETURN(const auto answer, ask(http, "list the parts of " + target.objectUrl, url));
    if (!answer) return std::nullopt;
    uint64_t last = after;
    for (const XmlElement* part : answer->named("Part")) {
      const uint64_t number = numberIn(*part, "PartNumber");
      if (number == 0 || number > etags.size()) return std::nullopt;
      const std::string_view bytes = parts.part(number);
      if (numberIn(*part, "Size") != bytes.size()) return std::nullopt;
      const std::string etag = part->textOf("ETag").value_or("");
      if (whatEtagSays(etag, bytes) == EtagSays::kTheseBytes) etags[number - 1] = etag;
      last = std::max(last, number);
    }
    if (answer->textOf("IsTruncated") != "true" || last == after) return etags;
    after = last;
  }
}

}  // namespace

ObjectParts::ObjectParts(std::string_view bytes, size_t partBytes)
    : bytes_(bytes),
      partBytes_(std::max(partBytes, (bytes.size() + kMostParts - 1) / kMostParts)) {}

std::string contentMd5(std::string_view bytes) {
  std::array<unsigned char, kMd5Bytes> digest;
  if (!md5Of(bytes, digest)) return {};
  return base64Text(std::as_bytes(std::span(digest)));
}

EtagSays whatEtagSays(std::string_view etag, std::string_view bytes) {
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"')
    etag = etag.substr(1, etag.size() - 2);
  const std::string lower = lowercase(std::string(etag));
  const bool isHex = lower.find_first_not_of("0123456789abcdef") == std::string::npos;
  std::array<unsigned char, kMd5Bytes> digest;
  if (etag.size() != 2 * kMd5Bytes || !isHex || !md5Of(bytes, digest)) return EtagSays::kNothing;
  return lower == hashText(std::as_bytes(std::span(digest))) ? EtagSays::kTheseBytes
                                                             : EtagSays::kOtherBytes;
}

Result<std::optional<UnfinishedUpload>> findUnfinished(HttpClient& http, const ObjectTarget& target,
                                                       const ObjectParts& parts) {
  ASSIGN_OR_RETURN(auto ids, uploadsOf(http, target));
  const auto missing = [](const PartEtags& etags) {
    return std::ranges::count(etags, std::string());
  };
  std::optional<UnfinishedUpload> best;
  for (std::string& id : ids) {
    ASSIGN_OR_RETURN(auto etags, partsOf(http, target, parts, id));
    if (!etags || (best && missing(*etags) >= missing(best->etags))) continue;
    best = UnfinishedUpload{std::move(id), std::move(*etags)};
  }
  return best;
}

}  // namespace vintage::archive

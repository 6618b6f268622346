// Shared by all requests to a bucket and their answers; and large objects in parts.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/transfer/http_client.h"
#include "golden/base/content_hash.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The SHA-256 of the request's body: signed, and checked by the server.
inline std::string bodyHashHeader(const std::string& hash) {
  return "x-amz-content-sha256: " + hash;
}
const std::string& noBodyHeader();
HttpRequest requestWithoutBody(std::string method, std::string url);

// Asks whether there is an object.
std::unique_ptr<HttpExchange> lookFor(const std::string& url, std::function<void(bool)> found);

// S3's name of an error, as "NoSuchKey"; empty where the answer names none. An
// answer with the status 200 can hold one too.
std::string errorCodeOf(const HttpResponse& response);
// Then it is kBadInput: the exchange is tried again.
Status checkNoErrorInside(const std::string& what, const HttpResponse& response);

// Whether the server refuses the header If-None-Match, rather than the object.
bool refusesCondition(const HttpResponse& response);

// Whether the server takes the object only with its MD5, as with object lock.
bool wantsMd5(const HttpResponse& response);

// Whether a refusal is one of the moment: another writer of the same key, or a
// body that came too slowly.
bool passesBy(const HttpResponse& response);

// Whether the body that arrived is not what its hash says.
bool foundOtherBytes(const HttpResponse& response);
// How often such a body is sent.
inline constexpr int kSendsOfOtherBytes = 3;

// One large object to a bucket in parts (S3's multipart upload), several at once.
//
// Continues an interrupted upload of the same key, whichever client began it: keeps
// its parts whose size and MD5 match, and sends the others. Leaves uploads with
// parts of other sizes alone. So two clients may share one upload: one completes
// it, the other then finds the object.

// S3 takes parts of 5 MiB and more (the last may be smaller), and 10,000 at most.
class ObjectParts {
 public:
  // Parts of `partBytes`, larger if there would be too many. Both must be positive.
  ObjectParts(std::string_view bytes, size_t partBytes);

  size_t count() const { return (bytes_.size() + partBytes_ - 1) / partBytes_; }
  // By S3's numbers, which count from 1.
  std::string_view part(size_t number) const {
    return bytes_.substr((number - 1) * partBytes_, partBytes_);
  }

 private:
  std::string_view bytes_;
  size_t partBytes_;
};

// The value of Content-MD5; empty where the machine's OpenSSL has no MD5.
std::string contentMd5(std::string_view bytes);

// The ETag of bytes that a server keeps unencrypted is their MD5, in hex and
// quoted. (Beside the signed SHA-256 of each request it guards nothing from
// malice: it is what S3 lets us compare.)
enum class EtagSays { kTheseBytes, kOtherBytes, kNothing };
EtagSays whatEtagSays(std::string_view etag, std::string_view bytes);

struct ObjectTarget {
  std::string bucketUrl, objectUrl;
  std::string key;  // In the bucket, with its prefix.
};

using PartEtags = std::vector<std::string>;  // In order; empty: the part is not there.

struct UnfinishedUpload {
  std::string id;
  PartEtags etags;  // ETags of the parts that have our bytes.
};

// The upload that has the most of the object. Empty where there is none, all are
// cut into other parts than ours, or the server does not say.
Result<std::optional<UnfinishedUpload>> findUnfinished(HttpClient& http, const ObjectTarget& target,
                                                       const ObjectParts& parts);

// The object is there afterwards, by us or by another client: never overwritten. A refused upload
// is removed if it was begun here; an upload that was given up stays, and a later run takes it up.
// `conditional` is cleared where the server does not know If-None-Match.
Status uploadInParts(HttpClient& http, const ObjectTarget& target, const ObjectParts& parts,
                     bool& conditional);

}  // namespace vintage::archive

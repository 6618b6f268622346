#include "archive/transfer/bucket_client.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/transfer/bucket_request.h"
#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/exchanges.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using Next = HttpExchange::Next;

HttpOptions httpOptions(const BucketAddress& address, HttpOptions http) {
  http.accessKey = address.accessKey;
  http.secretKey = address.secretKey;
  http.region = address.region;
  if (!address.sessionToken.empty())
    http.headers.push_back("x-amz-security-token: " + address.sessionToken);
  return http;
}

// Repeats its request unconditionally for a server that does not know the condition.
class PutExchange final : public HttpExchange {
 public:
  PutExchange(std::string url, std::unique_ptr<StoredObject> object, bool& conditional,
              bool& withMd5, bool replace)
      : HttpExchange("write " + url),
        url_(std::move(url)),
        object_(std::move(object)),
        conditional_(conditional),
        withMd5_(withMd5),
        replace_(replace) {}

  Result<HttpRequest> request() override {
    HttpRequest request{"PUT",
                        url_,
                        {"Content-Type: application/octet-stream", bodyHashHeader(object_->hash)},
                        object_->body()};
    sentCondition_ = conditional_ && !replace_;
    if (sentCondition_) request.headers.emplace_back("If-None-Match: *");
    sentMd5_ = withMd5_;
    if (withMd5_) request.headers.push_back("Content-MD5: " + contentMd5(request.body));
    return request;
  }
  Result<Next> finish(HttpResponse& response) override {
    if (response.status >= 200 && response.status < 300) {
      RETURN_IF_ERROR(checkNoErrorInside(what(), response));
      return Next::kDone;
    }
    if (response.status == 412 && sentCondition_) return Next::kDone;  // It is there.
    if (!sentMd5_ && wantsMd5(response)) {
      withMd5_ = true;
      return Next::kContinue;
    }
    if (sentCondition_ && refusesCondition(response)) {
      conditional_ = false;
      return Next::kContinue;
    }
    if (passesBy(response) || (foundOtherBytes(response) && ++otherBytes_ < kSendsOfOtherBytes))
      return Next::kRetry;
    Error error = errorOfResponse(what(), response);
    if (replace_ && (response.status == 403 || response.status == 409))
      error.message +=
          "; if the bucket has object lock, the object may be under retention or a legal hold: "
          "wait "
          "until it ends, or let the bucket's administrator lift it";
    return tl::unexpected(std::move(error));
  }

 private:
  std::string url_;
  std::unique_ptr<StoredObject> object_;
  bool& conditional_;
  bool& withMd5_;
  bool replace_;
  bool sentCondition_ = true, sentMd5_ = false;
  int otherBytes_ = 0;
};

// A page of a list that was not cut off: the document ends, and has as many entries as it says.
// An error counts as none, and is asked for again.
Result<XmlElement> wholePage(const std::string& what, const HttpResponse& response) {
  // Cut off before its first element it is an XML document's beginning, or nothing.
  const bool isOfBucket = std::string_view("<?xml").starts_with(response.body.substr(0, 5)) ||
                          response.body.find("<ListBucketResult") != std::string::npos ||
                          response.body.find("<Error") != std::string::npos;
  if (!isOfBucket)
    return unsupported(
        "{}: the answer is not a list of objects; is AWS_ENDPOINT_URL that of an S3-compatible "
        "server?",
        what);
  ASSIGN_OR_RETURN(auto page, within(what, parseXml(response.body)));
  RETURN_IF_ERROR(checkNoErrorInside(what, response));
  if (page.name != "ListBucketResult" || !page.textOf("IsTruncated"))
    return badInput("{}: the list does not say whether it ends", what);
  const size_t entries = page.named("Contents").size() + page.named("CommonPrefixes").size();
  const auto count = page.textOf("KeyCount");
  if (count && *count != std::to_string(entries))
    return badInput("{}: the page has {} entries and says that it has {}", what, entries, *count);
  return page;
}

}  // namespace

BucketClient::BucketClient(BucketAddress address, const PlaceOptions& options)
    : address_(std::move(address)),
      bucketUrl_(fmt::format("{}/{}", address_.endpoint, percentEncoded(address_.bucket))),
      partialFolder_(options.partialFolder),
      multipartBytes_(static_cast<size_t>(options.multipartBytes)),
      partBytes_(static_cast<size_t>(options.partBytes)),
      http_(httpOptions(address_, options)) {}

std::string BucketClient::whole(const std::string& key) const {
  return address_.prefix.empty() ? key : address_.prefix + "/" + key;
}

std::string BucketClient::url(const std::string& key) const {
  return bucketUrl_ + "/" + percentEncoded(whole(key), true);
}

Result<std::vector<std::string>> BucketClient::list(const std::string& keyPrefix, bool folders) {
  const std::string root = whole("");
  std::vector<std::string> found;
  for (std::string token;;) {
    std::string url = bucketUrl_;
    // In the order of their names, as the signature wants them.
    if (!token.empty()) addParameter(url, "continuation-token", token);
    if (folders) addParameter(url, "delimiter", "/");
    addParameter(url, "list-type", "2");
    addParameter(url, "prefix", root + keyPrefix);
    const std::string what = "list " + url;
    XmlElement page;
    RETURN_IF_ERROR(http_.perform(
        std::make_unique<SimpleExchange>(what, requestWithoutBody("GET", url), "",
                                         [&](HttpResponse& response) -> Result<HttpExchange::Next> {
                                           if (response.status != 200)
                                             return tl::unexpected(errorOfResponse(what, response));
                                           ASSIGN_OR_RETURN(page, wholePage(what, response));
                                           return HttpExchange::Next::kDone;
                                         })));
    for (const XmlElement* object : page.named(folders ? "CommonPrefixes" : "Contents")) {
      const auto key = object->textOf(folders ? "Prefix" : "Key");
      if (key && key->starts_with(root)) found.push_back(key->substr(root.size()));
    }
    if (page.textOf("IsTruncated") != "true") return found;
    const std::string last = token;
    token = page.textOf("NextContinuationToken").value_or("");
    if (token.empty() || token == last)
      return badInput("{}: the list is cut off without a way to go on", what);
  }
}

Result<std::vector<std::string>> BucketClient::missing(std::vector<std::string> keys) {
  std::vector<std::string> missing;
  size_t at = 0;
  RETURN_IF_ERROR(http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (at == keys.size()) return nullptr;
    const std::string& key = keys[at++];
    return lookFor(url(key), [&](bool found) {
      if (!found) missing.push_back(key);
    });
  }));
  return missing;
}

Status ObjectStore::putAll(std::vector<StoredObject> objects) {
  size_t at = 0;
  return put([&]() -> std::unique_ptr<StoredObject> {
    if (at == objects.size()) return nullptr;
    return std::make_unique<StoredObject>(std::move(objects[at++]));
  });
}

Status BucketClient::put(const ObjectStore::Next& next) {
  std::vector<std::unique_ptr<StoredObject>> large;
  const Status status = http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    while (auto object = next()) {
      if (object->bytes.size() < multipartBytes_) {
        std::string address = url(object->key);
        const bool replace = distrusted_.erase(object->key) > 0;
        return std::make_unique<PutExchange>(std::move(address), std::move(object), conditional_,
                                             withMd5_, replace);
      }
      large.push_back(std::move(object));
    }
    return nullptr;
  });
  if (!status) return status;
  // One after another: the parts of one are enough to keep all connections busy.
  for (auto& object : large) {
    bool unconditional = false;
    const bool replace = distrusted_.erase(object->key) > 0;
    RETURN_IF_ERROR(uploadInParts(http_, {bucketUrl_, url(object->key), whole(object->key)},
                                  ObjectParts(object->body(), partBytes_),
                                  replace ? unconditional : conditional_));
    object.reset();
  }
  return {};
}

Status BucketClient::read(std::span<const WantedObject> wanted, const Place::ContentVisitor& take,
                          const Place::LostVisitor& lost) {
  size_t at = 0;
  return http_.perform([&]() -> std::unique_ptr<HttpExchange> {
    if (at == wanted.size()) return nullptr;
    const WantedObject& one = wanted[at++];
    return downloadContent({url(one.key), {noBodyHeader()}, one.content, partialFolder_}, take,
                           lost);
  });
}

Result<std::string> BucketClient::readSmall(const std::string& key, const Check& check) {
  return read("read " + url(key), url(key), {}, check);
}

Result<std::string> BucketClient::read(const std::string& what, const std::string& url,
                                       std::initializer_list<int> none,
                                       const std::function<Status(const std::string&)>& check) {
  std::string body;
  RETURN_IF_ERROR(http_.perform(
      std::make_unique<SimpleExchange>(what, requestWithoutBody("GET", url), "",
                                       [&](HttpResponse& response) -> Result<HttpExchange::Next> {
                                         if (std::ranges::find(none, response.status) != none.end())
                                           return HttpExchange::Next::kDone;
                                         if (response.status != 200)
                                           return tl::unexpected(errorOfResponse(what, response));
                                         RETURN_IF_ERROR(checkNoErrorInside(what, response));
                                         body = std::move(response.body);
                                         return HttpExchange::Next::kDone;
                                       })));
  return body;
}

// Nothing from a server that does not know the question, for keys that may not ask it, and of a
// bucket without an answer to it.
Result<XmlElement> BucketClient::ask(const std::string& question) {
  const std::string url = fmt::format("{}?{}", bucketUrl_, question);
  const std::string what = "read " + url;
  ASSIGN_OR_RETURN(const auto answer, read(what, url, {400, 403, 404, 405, 501}));
  if (answer.empty()) return XmlElement();
  return within(what, parseXml(answer));
}

Status BucketClient::remove(const std::string& key) {
  const std::string what = "remove " + url(key);
  ASSIGN_OR_RETURN(const HttpResponse response,
                   http_.ask(what, requestWithoutBody("DELETE", url(key))));
  if (response.status != 200 && response.status != 204 && response.status != 404) {
    Error error = errorOfResponse(what, response);
    if (response.status == 403)
      error.message +=
          "; either these keys may not remove, or the object is under retention or a legal hold "
          "(object lock): wait until that ends, or let the bucket's administrator lift it";
    return tl::unexpected(std::move(error));
  }
  distrusted_.erase(key);
  return {};
}

Result<std::string> BucketClient::protection() {
  ASSIGN_OR_RETURN(const auto versioning, ask("versioning="));
  ASSIGN_OR_RETURN(const auto lock, ask("object-lock="));
  const bool keepsVersions = versioning.textOf("Status") == "Enabled";
  std::string said = keepsVersions ? "versions are kept" : "no versions are kept";
  if (lock.textOf("ObjectLockEnabled") != "Enabled") return said + ", no object lock";
  const std::string mode = lock.textOf("Mode").value_or("");
  const std::string days = lock.textOf("Days").value_or("");
  const std::string years = lock.textOf("Years").value_or("");
  if (mode.empty()) return said + ", object lock without a retention by default";
  const std::string& length = days.empty() ? years : days;
  return fmt::format("{}, object lock: {} for {} {}{}", said, mode, length,
                     days.empty() ? "year" : "day", length == "1" ? "" : "s");
}

Status BucketClient::readVersions(std::span<const WantedObject> wanted,
                                  const Place::ContentVisitor& take) {
  for (const WantedObject& one : wanted) {
    std::string question = "prefix=" + percentEncoded(whole(one.key));
    ASSIGN_OR_RETURN(const auto answer, ask(question + "&versions="));
    bool found = false;
    for (const XmlElement* version : answer.named("Version")) {
      const auto id = version->textOf("VersionId");
      if (found || !id || version->textOf("Key") != whole(one.key)) continue;
      std::string address = url(one.key);
      addParameter(address, "versionId", *id);
      // A damaged version is skipped in silence: another one may be whole.
      RETURN_IF_ERROR(http_.perform(downloadContent(
          {address, {noBodyHeader()}, one.content, ""},
          [&](const ContentId& content, Bytes bytes) {
            found = true;
            return take(content, std::move(bytes));
          },
          [](const ContentId&, const Error&) { return Status(); })));
    }
  }
  return {};
}

}  // namespace vintage::archive

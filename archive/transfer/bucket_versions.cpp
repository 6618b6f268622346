// What a bucket keeps of the past, and how it is protected.
#include <fmt/format.h>

#include "archive/transfer/bucket_client.h"
#include "archive/transfer/bucket_request.h"
#include "archive/transfer/http_client.h"
#include "archive/transfer/url.h"

namespace vintage::archive {

using Next = HttpExchange::Next;

Result<std::string> BucketClient::ask(const std::string& question) {
  HttpRequest request;
  request.url = fmt::format("{}?{}", bucketUrl_, question);
  request.headers = {noBodyHeader()};
  const std::string what = "read " + request.url;
  ASSIGN_OR_RETURN(HttpResponse response, http_.ask(what, std::move(request)));
  if (response.status == 200) return std::move(response.body);
  // A server that does not know the question, keys that may not ask it, and a bucket
  // without an answer to it.
  for (const int none : {400, 403, 404, 405, 501})
    if (response.status == none) return std::string();
  return tl::unexpected(errorOfResponse(what, response));
}

Status BucketClient::remove(const std::string& key) {
  HttpRequest request;
  request.method = "DELETE";
  request.url = url(key);
  request.headers = {noBodyHeader()};
  const std::string what = "remove " + request.url;
  const Status removed = http_.perform(std::make_unique<SimpleExchange>(
      what, std::move(request), "", [&](HttpResponse& response) -> Result<Next> {
        if (response.status == 200 || response.status == 204 || response.status == 404)
          return Next::kDone;
        Error error = errorOfResponse(what, response);
        if (response.status == 403)
          error.message +=
              "; either these keys may not remove, or the object is under retention or a legal "
              "hold "
              "(object lock): wait until that ends, or let whoever governs the bucket lift it";
        return tl::unexpected(std::move(error));
      }));
  if (removed) distrusted_.erase(key);
  return removed;
}

Result<std::string> BucketClient::protection() {
  ASSIGN_OR_RETURN(const auto versioning, ask("versioning="));
  ASSIGN_OR_RETURN(const auto lock, ask("object-lock="));
  const bool keepsVersions = firstXmlText(versioning, "Status").value_or("") == "Enabled";
  std::string said = keepsVersions ? "versions are kept" : "no versions are kept";
  if (firstXmlText(lock, "ObjectLockEnabled").value_or("") != "Enabled")
    return said + ", no object lock";
  const std::string mode = firstXmlText(lock, "Mode").value_or("");
  const std::string days = firstXmlText(lock, "Days").value_or("");
  const std::string years = firstXmlText(lock, "Years").value_or("");
  if (mode.empty()) return said + ", object lock without a retention by default";
  return fmt::format("{}, object lock: {} for {} {}", said, mode, days.empty() ? years : days,
                     days.empty() ? "years" : "days");
}

Status BucketClient::readVersions(std::span<const Wanted> wanted,
                                  const Place::ContentVisitor& take) {
  for (const Wanted& one : wanted) {
    std::string question = "prefix=" + percentEncoded(whole(one.key));
    ASSIGN_OR_RETURN(const auto answer, ask(question + "&versions="));
    bool found = false;
    for (const std::string_view version : xmlElements(answer, "Version")) {
      const auto id = firstXmlText(version, "VersionId");
      if (found || !id || firstXmlText(version, "Key") != whole(one.key)) continue;
      std::string address = url(one.key);
      addParameter(address, "versionId", *id);
      // A damaged version is no news here: another one may be whole.
      RETURN_IF_ERROR(http_.perform(std::make_unique<ContentDownload>(
          ContentDownload::Target{address, {noBodyHeader()}, one.content, ""},
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

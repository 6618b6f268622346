#include "archive/transfer/bucket_request.h"

#include <algorithm>
#include <initializer_list>

#include "archive/transfer/bucket_xml.h"
#include "archive/transfer/http_client.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

bool isRefusal(const HttpResponse& response, int status,
               std::initializer_list<std::string_view> codes) {
  return response.status == status &&
         std::ranges::find(codes, errorCodeOf(response)) != codes.end();
}

}  // namespace

const std::string& noBodyHeader() {
  static const std::string header = bodyHashHeader(contentHash(std::string_view()));
  return header;
}

HttpRequest requestWithoutBody(std::string method, std::string url) {
  return {std::move(method), std::move(url), {noBodyHeader()}, {}};
}

std::string errorCodeOf(const HttpResponse& response) {
  const auto answer = parseXml(response.body);
  if (!answer || (response.status == 200 && answer->name != "Error")) return {};
  return answer->textOf("Code").value_or("");
}

Status checkNoErrorInside(const std::string& what, const HttpResponse& response) {
  if (errorCodeOf(response).empty()) return {};
  return failure(Error::Kind::kBadInput, errorOfResponse(what, response).message);
}

std::unique_ptr<HttpExchange> lookFor(const std::string& url, std::function<void(bool)> found) {
  const std::string what = "look for " + url;
  return std::make_unique<SimpleExchange>(
      what, requestWithoutBody("HEAD", url), "",
      [what, found = std::move(found)](HttpResponse& response) -> Result<HttpExchange::Next> {
        if (response.status != 200 && response.status != 404)
          return tl::unexpected(errorOfResponse(what, response));
        found(response.status == 200);
        return HttpExchange::Next::kDone;
      });
}

bool refusesCondition(const HttpResponse& response) {
  return response.status == 501 ||
         isRefusal(response, 400, {"NotImplemented", "InvalidArgument", "InvalidRequest"});
}

bool wantsMd5(const HttpResponse& response) {
  return isRefusal(response, 400, {"InvalidRequest", "InvalidArgument", "MissingContentMD5"}) &&
         response.body.find("MD5") != std::string::npos;
}

bool passesBy(const HttpResponse& response) {
  return isRefusal(response, 409, {"ConditionalRequestConflict", "OperationAborted"}) ||
         isRefusal(response, 400, {"RequestTimeout"});
}

bool foundOtherBytes(const HttpResponse& response) {
  return isRefusal(response, 400, {"BadDigest", "XAmzContentSHA256Mismatch"});
}

}  // namespace vintage::archive

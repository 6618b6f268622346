#include "archive/transfer/bucket_request.h"

#include "archive/transfer/simple_exchange.h"
#include "archive/transfer/xml_scan.h"

namespace vintage::archive::transfer {

const std::string& noBodyHeader() {
  static const std::string header = bodyHashHeader(contentHash(std::string_view()));
  return header;
}

std::string errorCodeOf(const HttpResponse& response) {
  if (response.status == 200 && response.body.find("<Error") == std::string::npos) return {};
  return firstXmlText(response.body, "Code").value_or("");
}

std::unique_ptr<HttpExchange> lookFor(const std::string& url, std::function<void(bool)> found) {
  HttpRequest request;
  request.method = "HEAD";
  request.url = url;
  request.headers = {noBodyHeader()};
  const std::string what = "look for " + url;
  return std::make_unique<SimpleExchange>(
      what, std::move(request), "",
      [what, found = std::move(found)](HttpResponse& response) -> Result<HttpExchange::Next> {
        if (response.status != 200 && response.status != 404)
          return tl::unexpected(errorOfResponse(what, response));
        found(response.status == 200);
        return HttpExchange::Next::kDone;
      });
}

bool refusesCondition(const HttpResponse& response) {
  if (response.status == 501) return true;
  const std::string code = errorCodeOf(response);
  return response.status == 400 &&
         (code == "NotImplemented" || code == "InvalidArgument" || code == "InvalidRequest");
}

bool wantsMd5(const HttpResponse& response) {
  const std::string code = errorCodeOf(response);
  return response.status == 400 &&
         (code == "InvalidRequest" || code == "InvalidArgument" || code == "MissingContentMD5") &&
         response.body.find("MD5") != std::string::npos;
}

bool passesBy(const HttpResponse& response) {
  const std::string code = errorCodeOf(response);
  return (response.status == 409 &&
          (code == "ConditionalRequestConflict" || code == "OperationAborted")) ||
         (response.status == 400 && code == "RequestTimeout");
}

bool foundOtherBytes(const HttpResponse& response) {
  const std::string code = errorCodeOf(response);
  return response.status == 400 && (code == "BadDigest" || code == "XAmzContentSHA256Mismatch");
}

}  // namespace vintage::archive::transfer

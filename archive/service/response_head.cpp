#include "archive/service/response_head.h"

#include <iterator>

#include <fmt/format.h>
#include <boost/beast/http/status.hpp>

namespace vintage::archive {
namespace {

namespace http = boost::beast::http;

}  // namespace

std::string responseHead(const ResponseHead& head) {
  const Response& response = head.response;
  const auto status = http::int_to_status(static_cast<unsigned>(response.status));
  std::string text;
  text.reserve(512);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nServer: vintage\r\nDate: {}\r\nX-Request-Id: {}\r\n",
                 response.status, http::obsolete_reason(status), head.date, head.requestId);
  if (!response.contentType.empty())
    fmt::format_to(out, "Content-Type: {}\r\n", response.contentType);
  for (const auto& [name, value] : response.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  if (response.stream) {
    if (head.chunked) text += "Transfer-Encoding: chunked\r\n";
  } else if (response.status != 204 && response.status != 304) {
    const uint64_t length = response.statedLength               ? *response.statedLength
                            : response.bytes || response.source ? response.length
                                                                : response.text.size();
    fmt::format_to(out, "Content-Length: {}\r\n", length);
  }
  text += head.keepAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return text;
}

}  // namespace vintage::archive

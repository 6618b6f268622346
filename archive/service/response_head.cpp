#include "archive/service/response_head.h"

#include <iterator>

#include <fmt/format.h>

namespace vintage::archive {

std::string_view reasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 201: return "Created";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 207: return "Multi-Status";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 416: return "Range Not Satisfiable";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    case 507: return "Insufficient Storage";
    default: return "Status";
  }
}

std::string responseHead(const ResponseHead& head) {
  const Response& response = head.response;
  std::string text;
  text.reserve(512);
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "HTTP/1.1 {} {}\r\nServer: vintage\r\nDate: {}\r\nX-Request-Id: {}\r\n",
                 response.status, reasonPhrase(response.status), head.date, head.requestId);
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

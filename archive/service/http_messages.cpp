#include "archive/service/http_messages.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include <fmt/format.h>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include "archive/service/request_values.h"
#include "golden/base/lowercase.h"

namespace vintage::archive {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

constexpr size_t kMostFields = 100;

Refusal tooLargeHeaders(std::string message, std::string next) {
  return refuse(431, "headers_too_large", std::move(message), std::move(next));
}

Refusal unreadable(const error_code& error) {
  if (error == http::error::header_limit)
    return tooLargeHeaders("the request's head is over its limit (16 KiB)",
                           "send fewer or shorter headers");
  return badRequest(fmt::format("the request cannot be read: {}", error.message()),
                    "send HTTP/1.1 as RFC 9112 defines it");
}

// A header that goes on in the next line. A proxy may have read
// the second line as a header of its own, or as none.
bool isFolded(std::string_view head) {
  return head.find("\r\n ") != std::string_view::npos ||
         head.find("\r\n\t") != std::string_view::npos;
}

// "example.org:8700", "[::1]", "".
bool isHost(std::string_view value) {
  return std::ranges::all_of(value, [](unsigned char character) {
    return std::isalnum(character) ||
           std::string_view("-._~%!$&'()*+,;=:[]").find(static_cast<char>(character)) !=
               std::string_view::npos;
  });
}

// Refuses framing on which two readers could disagree about the end of the request.
Answer<void> checkFraming(const http::request<http::buffer_body>& message, bool chunked) {
  const auto fields = [&](http::field name) { return message.count(name); };
  if (fields(http::field::transfer_encoding) > 0) {
    if (message.version() < 11)
      return badRequest("an HTTP/1.0 request has a Transfer-Encoding",
                        "send it with Content-Length");
    if (!chunked || fields(http::field::transfer_encoding) > 1 ||
        !boost::beast::iequals(message[http::field::transfer_encoding], "chunked"))
      return badRequest("its Transfer-Encoding is not chunked alone",
                        "send it with Content-Length or chunked");
    if (fields(http::field::content_length) > 0)
      return badRequest("it has a Transfer-Encoding and a Content-Length", "send one of them");
  }
  if (fields(http::field::content_length) > 1 ||
      (fields(http::field::content_length) == 1 &&
       !parseNumber(message[http::field::content_length])))
    return badRequest("its Content-Length is not one number",
                      "send how many bytes the body has, once");
  return {};
}

}  // namespace

RequestReader::RequestReader(uint64_t headerBytes) : headerBytes_(headerBytes) {
  parser_.header_limit(static_cast<uint32_t>(headerBytes));
  parser_.body_limit(boost::none);  // Limits of bodies depend on the route.
}

Answer<bool> RequestReader::readHead(std::string_view bytes, size_t& used) {
  error_code error;
  used = parser_.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error == http::error::need_more) return false;
  if (error) return unreadable(error);
  if (isFolded(bytes.substr(0, used)))
    return badRequest("a header goes on in the next line", "send each header in one line");
  return parser_.is_header_done();
}

Answer<void> RequestReader::describe(Request& request) const {
  const auto& message = parser_.get();
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.headers.clear();
  request.chunked = parser_.chunked();
  request.contentLength.reset();
  if (const auto length = parser_.content_length()) request.contentLength = *length;
  if (const auto fields = std::distance(message.begin(), message.end());
      fields > static_cast<std::ptrdiff_t>(kMostFields))
    return tooLargeHeaders(
        fmt::format("the request has {} headers; {} are accepted", fields, kMostFields),
        "send fewer");
  for (const auto& field : message) {
    const std::string name = lowercase(std::string(field.name_string()));
    const auto known =
        std::ranges::find(request.headers, name, &std::pair<std::string, std::string>::first);
    if (known == request.headers.end())
      request.headers.emplace_back(std::move(name), std::string(field.value()));
    else
      known->second += ", " + std::string(field.value());
  }
  if (message.version() >= 11 && message.count(http::field::host) != 1)
    return badRequest("the request needs one Host header", "send one");
  if (!isHost(message[http::field::host]))
    return badRequest("the Host header is not a name or an address with a port",
                      "send the host of the address that was asked for");
  return checkFraming(message, request.chunked);
}

Answer<size_t> RequestReader::readBody(std::string_view bytes, size_t& used,
                                       std::span<std::byte> out) {
  auto& body = parser_.get().body();
  body.data = out.data();
  body.size = out.size();
  body.more = true;
  used = 0;
  // Each call takes one piece of the grammar: a chunk's head, or bytes.
  while (!bodyDone() && used < bytes.size() && body.size > 0) {
    error_code error;
    const size_t taken =
        parser_.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += taken;
    if (error == http::error::need_more) break;
    if (error && error != http::error::need_buffer) return unreadable(error);
    if (taken == 0) break;
  }
  const size_t decoded = out.size() - body.size;
  // Only a chunk's head or the trailer can wait for more here; the library would let either grow
  // without end.
  if (decoded == 0 && !bodyDone() && bytes.size() - used > headerBytes_)
    return tooLargeHeaders(
        fmt::format("a chunk's head or the trailer has more than {} bytes", headerBytes_),
        "send the body without extensions of chunks and without a trailer");
  return decoded;
}

std::string responseHead(const ResponseHead& head) {
  const Response& response = head.response;
  const auto status = http::int_to_status(static_cast<unsigned>(response.status));
  std::string text;
  text.reserve(512);
  const auto out = std::back_inserter(text);
  // No other origin's page may embed an answer, and no browser may guess what it is.
  fmt::format_to(out,
                 "HTTP/1.1 {} {}\r\nServer: vintage\r\nDate: {}\r\nX-Request-Id: {}\r\n"
                 "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n",
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

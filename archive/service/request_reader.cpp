#include "archive/service/request_reader.h"

#include <algorithm>

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <fmt/format.h>

namespace vintage::service {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

Problem unreadable(const error_code& error) {
  if (error == http::error::header_limit)
    return {431, "headers_too_large", "the request's head is over its limit (16 KiB)",
            "send fewer or shorter headers"};
  return badRequest(fmt::format("the request cannot be read: {}", error.message()),
                    "send HTTP/1.1 as RFC 9112 tells");
}

}  // namespace

struct RequestReader::State {
  http::request_parser<http::buffer_body> parser;
};

RequestReader::RequestReader(uint64_t headerBytes) : state_(std::make_unique<State>()) {
  state_->parser.header_limit(static_cast<uint32_t>(headerBytes));
  state_->parser.body_limit(boost::none);  // Limits of bodies depend on the route.
}

RequestReader::~RequestReader() = default;

Answer<bool> RequestReader::readHead(std::string_view bytes, size_t& used) {
  error_code error;
  used = state_->parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error == http::error::need_more) return false;
  if (error) return tl::unexpected(unreadable(error));
  return state_->parser.is_header_done();
}

Answer<void> RequestReader::describe(Request& request) const {
  const auto& message = state_->parser.get();
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  request.headers.clear();
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto known = std::ranges::find(request.headers, name,
                                         &std::pair<std::string, std::string>::first);
    if (known == request.headers.end())
      request.headers.emplace_back(std::move(name), std::string(field.value()));
    else
      known->second += ", " + std::string(field.value());
  }
  request.chunked = state_->parser.chunked();
  request.contentLength.reset();
  if (const auto length = state_->parser.content_length()) request.contentLength = *length;
  if (message.version() >= 11 && message.count(http::field::host) != 1)
    return tl::unexpected(badRequest("the request needs one Host header", "send one"));
  if (message.count(http::field::transfer_encoding) > 0 && !request.chunked)
    return tl::unexpected(badRequest("its Transfer-Encoding is not chunked",
                                     "send it with Content-Length or chunked"));
  if (message.count(http::field::transfer_encoding) > 0 &&
      message.count(http::field::content_length) > 0)
    return tl::unexpected(badRequest("it has a Transfer-Encoding and a Content-Length",
                                     "send one of them"));
  return {};
}

bool RequestReader::keepAlive() const { return state_->parser.keep_alive(); }
bool RequestReader::isHttp10() const { return state_->parser.get().version() < 11; }
bool RequestReader::bodyDone() const { return state_->parser.is_done(); }

Answer<size_t> RequestReader::readBody(std::string_view bytes, size_t& used,
                                       std::span<std::byte> out) {
  auto& body = state_->parser.get().body();
  body.data = out.data();
  body.size = out.size();
  body.more = true;
  used = 0;
  // Each call takes one piece of the grammar: a chunk's head, or bytes.
  while (!bodyDone() && used < bytes.size() && body.size > 0) {
    error_code error;
    const size_t taken = state_->parser.put(
        boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += taken;
    if (error == http::error::need_more) break;
    if (error && error != http::error::need_buffer) return tl::unexpected(unreadable(error));
    if (taken == 0) break;
  }
  return out.size() - body.size;
}

}  // namespace vintage::service

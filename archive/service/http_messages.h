// HTTP/1.1 as bytes: reads requests, wherever they come from, and writes the heads of responses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include "archive/service/exchange.h"
#include "archive/service/problem.h"

namespace vintage::archive {

// Reads one request. The grammar is Boost.Beast's; what it leaves open is decided here: one Host,
// one length, limits of their own status. Where RFC 9112 lets a server choose, what two readers
// might take differently is refused.
class RequestReader {
 public:
  explicit RequestReader(uint64_t headerBytes);

  // `bytes` is everything that has arrived and was not used yet. True once the
  // head is whole; `used` is how many bytes it took. A problem ends the connection.
  Answer<bool> readHead(std::string_view bytes, size_t& used);
  // method, target, headers, contentLength, chunked.
  Answer<void> describe(Request& request) const;
  bool keepAlive() const { return parser_.keep_alive(); }
  bool isHttp10() const { return parser_.get().version() < 11; }

  // After the head. Decodes into `out` and returns how much; `used` as above. 0
  // with bodyDone() false: more bytes are needed.
  Answer<size_t> readBody(std::string_view bytes, size_t& used, std::span<std::byte> out);
  bool bodyDone() const { return parser_.is_done(); }

 private:
  boost::beast::http::request_parser<boost::beast::http::buffer_body> parser_;
  const uint64_t headerBytes_;
};

struct ResponseHead {
  const Response& response;
  std::string_view date;
  std::string_view requestId;
  bool keepAlive = true;
  bool chunked = false;  // Else a stream ends with the connection.
};
std::string responseHead(const ResponseHead& head);

}  // namespace vintage::archive

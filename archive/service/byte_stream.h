// The bytes of one client, plain or through TLS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "archive/service/event_loop.h"
#include "archive/service/tls_context.h"

namespace vintage::archive {

inline constexpr size_t kBodyRead = 64 * 1024;

// The bytes that arrived, reading more, writing, and an end that lets the other side read the last
// bytes sent.
class ByteStream {
 public:
  // Null: plain.
  ByteStream(Socket socket, TlsContext::Context context)
      : context_(std::move(context)), socket_(std::move(socket)) {
    if (context_) tls_.emplace(socket_, *context_);
  }

  Socket& socket() { return socket_; }
  bool isSecure() const { return tls_.has_value(); }

  Awaitable<bool> handshake() {
    if (!tls_) co_return true;
    const auto [error] = co_await tls_->async_handshake(asio::ssl::stream_base::server, kNoThrow);
    co_return !error;
  }

  // The bytes that were read and not used yet.
  std::string_view arrived() const { return std::string_view(buffer_).substr(used_); }
  void use(size_t bytes) {
    used_ += bytes;
    if (used_ < buffer_.size()) return;
    buffer_.clear();
    used_ = 0;
  }

  // False where nothing comes any more.
  Awaitable<bool> readSome(size_t most) {
    if (used_ > 0 && used_ == buffer_.size()) use(0);
    if (used_ > kBodyRead) {
      buffer_.erase(0, used_);
      used_ = 0;
    }
    const size_t before = buffer_.size();
    buffer_.resize(before + most);
    const auto place = asio::buffer(buffer_.data() + before, most);
    std::tuple<boost::system::error_code, size_t> read;
    if (tls_)
      read = co_await tls_->async_read_some(place, kNoThrow);
    else
      read = co_await socket_.async_read_some(place, kNoThrow);
    const auto [error, bytes] = read;
    buffer_.resize(before + bytes);
    co_return !error && bytes > 0;
  }

  template <typename Buffers>
  Awaitable<bool> writeAll(const Buffers& buffers) {
    std::tuple<boost::system::error_code, size_t> written;
    if (tls_)
      written = co_await asio::async_write(*tls_, buffers, kNoThrow);
    else
      written = co_await asio::async_write(socket_, buffers, kNoThrow);
    co_return !std::get<0>(written);
  }

  // The present write fails, and each later one. A cancel would miss a write that is between two
  // of its parts.
  void stopWriting() {
    boost::system::error_code ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  }

  // `unread`: so many bytes of what the client sends were not read. A socket that is closed with
  // bytes unread resets the connection, and a client that sends all before it reads would never
  // see the response.
  Awaitable<void> end(uint64_t unread) {
    if (unread == 0 && tls_) co_await tls_->async_shutdown(kNoThrow);
    if (unread == 0) co_return;
    stopWriting();
    used_ = 0;
    for (uint64_t drained = 0; drained < unread;) {
      buffer_.resize(kBodyRead);
      const auto [error, bytes] = co_await socket_.async_read_some(asio::buffer(buffer_), kNoThrow);
      if (error) co_return;
      drained += bytes;
    }
  }

 private:
  const TlsContext::Context context_;
  Socket socket_;
  std::optional<asio::ssl::stream<Socket&>> tls_;
  std::string buffer_;  // Bytes that arrived; those before used_ are used.
  size_t used_ = 0;
};

}  // namespace vintage::archive

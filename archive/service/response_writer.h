// Writes one response: bytes that are there, a content that is read on the way, or a stream that a
// worker makes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "archive/service/client_stream.h"
#include "archive/service/response_head.h"
#include "archive/service/stream_turns.h"
#include "archive/service/worker_call.h"

namespace vintage::archive {

// `turn` is that of a response with a stream, null for others.
template <typename Stream>
class ResponseWriter {
 public:
  ResponseWriter(ClientStream<Stream>& client, StreamTurns::Turn* turn)
      : client_(client), turn_(turn) {}

  // Whether all of it went out. Of a response to HEAD only the head does.
  Awaitable<bool> write(const ResponseHead& head, bool onlyHead) {
    const std::string text = responseHead(head);
    const Response& response = head.response;
    if (response.stream) {
      client_.expect(client_.patience(0));
      co_return co_await client_.bytes.writeAll(asio::buffer(text)) &&
          co_await writeStream(response, head.chunked);
    }
    if (response.source && !onlyHead) {
      client_.expect(client_.patience(0));
      co_return co_await client_.bytes.writeAll(asio::buffer(text)) &&
          co_await writeSource(response);
    }
    const asio::const_buffer body =
        onlyHead ? asio::const_buffer()
        : response.bytes
            ? asio::const_buffer(response.bytes->data() + response.offset, response.length)
            : asio::buffer(response.text);
    client_.expect(client_.patience(body.size()));
    const bool whole =
        co_await client_.bytes.writeAll(std::array{asio::const_buffer(asio::buffer(text)), body});
    client_.sent = whole ? body.size() : 0;
    co_return whole;
  }

 private:
  // Runs on a worker, which waits for each piece to be taken by the client.
  class Pieces final : public BodyWriter {
   public:
    Pieces(ResponseWriter& writer, bool chunked) : writer_(writer), chunked_(chunked) {}
    Status write(std::string_view piece) override {
      if (piece.empty()) return {};
      const bool taken = asio::co_spawn(writer_.client_.loop.context.get_executor(),
                                        writer_.writePiece(piece, chunked_), asio::use_future)
                             .get();
      if (taken) return {};
      return failure(Error::Kind::kIo, "the client went away");
    }

   private:
    ResponseWriter& writer_;
    bool chunked_;
  };

  Awaitable<bool> writeStream(const Response& response, bool chunked) {
    const bool whole = co_await onWorker(client_.shared.streams, [&]() -> bool {
      Pieces pieces(*this, chunked);
      try {
        return response.stream(pieces).has_value();
      } catch (const std::exception&) {
        return false;  // The client sees the cut connection.
      }
    });
    if (!whole || !chunked) co_return whole;
    constexpr std::string_view kLastChunk = "0\r\n\r\n";
    client_.expect(client_.patience(0));
    co_return co_await client_.bytes.writeAll(asio::buffer(kLastChunk));
  }

  Awaitable<bool> writePiece(std::string_view piece, bool chunked) {
    if (turn_->hasEnded()) co_return false;
    client_.expect(client_.patience(piece.size()));
    const std::string size = chunked ? fmt::format("{:x}\r\n", piece.size()) : std::string();
    const std::string_view end = chunked ? "\r\n" : "";
    const bool taken = co_await client_.bytes.writeAll(
        std::array{asio::const_buffer(asio::buffer(size)), asio::const_buffer(asio::buffer(piece)),
                   asio::const_buffer(asio::buffer(end))});
    client_.expectNothing();
    if (taken) {
      client_.sent += piece.size();
      turn_->moved();
    }
    co_return taken;
  }

  // Reads ahead no further than one piece: a slow client costs that piece.
  Awaitable<bool> writeSource(const Response& response) {
    constexpr size_t kSourcePiece = 512 * 1024;
    std::vector<std::byte> piece(std::min(response.length, kSourcePiece));
    for (size_t left = response.length; left > 0;) {
      client_.expectNothing();
      const auto count = co_await onWorker(client_.shared.workers, [&]() -> Result<size_t> {
        try {
          return response.source->read(std::span(piece).first(std::min(left, piece.size())));
        } catch (const std::exception& exception) {
          return failure(Error::Kind::kResource, exception.what());
        }
      });
      if (!count || *count == 0) co_return false;  // The client sees the cut connection.
      client_.expect(client_.patience(*count));
      if (!co_await client_.bytes.writeAll(asio::buffer(piece.data(), *count))) co_return false;
      client_.sent += *count;
      left -= *count;
    }
    co_return true;
  }

  ClientStream<Stream>& client_;
  StreamTurns::Turn* turn_;
};

}  // namespace vintage::archive

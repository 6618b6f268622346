// The bytes that a client sends and gets, and their time limits: the loop cuts slower clients off.
// A request's body arrives whole in memory, or piece by piece into an upload; a response consists
// of bytes in memory, of a content that is read on the way, or of a stream that a worker makes.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "archive/service/byte_stream.h"
#include "archive/service/http_messages.h"
#include "archive/service/problem.h"
#include "archive/service/stream_turns.h"

namespace vintage::archive {

// Counts the bytes that one request received and sent. Used on the loop's thread only.
class ClientStream {
 public:
  ByteStream bytes;
  EventLoop& loop;
  ServerShared& shared;
  std::string peer;
  uint64_t received = 0, sent = 0;  // Of bodies.
  Steady::time_point deadline = Steady::time_point::max();
  bool timedOut = false;
  bool idle = true;  // Between requests.

  ClientStream(Socket socket, TlsContext::Context context, EventLoop& loop, ServerShared& shared)
      : bytes(std::move(socket), std::move(context)), loop(loop), shared(shared) {
    boost::system::error_code ignored;
    peer = endpointText(bytes.socket().remote_endpoint(ignored));
    bytes.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  // Ends what the connection waits for; its coroutine may still answer why, and ends.
  void cut() {
    boost::system::error_code ignored;
    bytes.socket().cancel(ignored);
    if (loop.stopping) bytes.socket().close(ignored);
  }

  // The client has so long for what comes next.
  void expect(std::chrono::nanoseconds time) {
    deadline = now() + std::chrono::duration_cast<Steady::duration>(time);
    timedOut = false;
  }
  // The client waits for us.
  void expectNothing() { deadline = Steady::time_point::max(); }
  // A body or a response of so many bytes may take so long.
  std::chrono::nanoseconds patience(uint64_t size) const {
    const double rate = static_cast<double>(std::max<uint64_t>(1, shared.options.bytesPerSecond));
    return shared.options.graceTime +
           std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(size) / rate * 1e9));
  }

  // Of a request.
  void begin() {
    began_ = now();
    received = sent = 0;
  }
  Steady::duration sinceBegin() const { return now() - began_; }

 protected:
  // Bodies: `reader` has read the head. Problems are answered with a part of the request unread;
  // one of them may come after a piece of the body.

  // Into request.body; `memory` grows by what arrives.
  Awaitable<Answer<void>> readWhole(RequestReader& reader, Request& request, BudgetShare& memory) {
    Application& application = shared.application;
    const uint64_t limit = application.bodyLimit(request);
    std::vector<std::byte> piece(kBodyRead);
    // The stated length is within the limit; reserved memory costs nothing until it
    // is written.
    request.body.reserve(std::min(limit, request.contentLength.value_or(0)));
    while (true) {
      const auto got = co_await readPiece(reader, piece);
      if (!got) co_return tl::unexpected(got.error());
      if (*got == 0) co_return Answer<void>();
      if (received > limit)
        co_return refuse(
            413, "too_large",
            fmt::format("the body has more than the {} bytes that are accepted here", limit),
            "send it in several requests");
      if (!memory.grow(*got)) co_return tooMuchAtOnce();
      if (!request.contentLength)
        if (auto problem = application.usage.take(request.identity, 0, *got))
          co_return tl::unexpected(std::move(*problem));
      request.body.append(reinterpret_cast<const char*>(piece.data()), *got);
    }
  }

  // Until the body is whole, does not arrive, or the chunk takes no more.
  Awaitable<Answer<void>> passTo(RequestReader& reader, UploadChunk& chunk) {
    constexpr size_t kChunkPiece = 512 * 1024;
    std::vector<std::byte> piece(kChunkPiece);
    while (!reader.bodyDone()) {
      // A piece is filled before it is handed on, so that few of them are.
      size_t filled = 0;
      std::optional<Problem> problem;
      while (filled < piece.size() && !problem) {
        const auto got = co_await readPiece(reader, std::span(piece).subspan(filled));
        if (!got) problem = got.error();
        if (!got || *got == 0) break;
        filled += *got;
      }
      expectNothing();
      Answer<void> taken;
      if (filled > 0)
        taken = co_await onWorker(shared.workers,
                                  [&] { return chunk.append(std::span(piece).first(filled)); });
      if (problem) co_return tl::unexpected(std::move(*problem));
      if (!taken) co_return taken;
    }
    co_return Answer<void>();
  }

  // Whether all of it went out. A response to HEAD is its head alone.
  Awaitable<bool> write(const ResponseHead& head, bool onlyHead) {
    const std::string text = responseHead(head);
    const Response& response = head.response;
    if (response.stream && !onlyHead) {
      expect(patience(0));
      co_return co_await bytes.writeAll(asio::buffer(text)) &&
          co_await writeStream(response, head.chunked);
    }
    if (response.source && !onlyHead) {
      expect(patience(0));
      co_return co_await bytes.writeAll(asio::buffer(text)) && co_await writeSource(response);
    }
    const asio::const_buffer body =
        onlyHead ? asio::const_buffer()
        : response.bytes
            ? asio::const_buffer(response.bytes->data() + response.offset, response.length)
            : asio::buffer(response.text);
    expect(patience(body.size()));
    const bool whole =
        co_await bytes.writeAll(std::array{asio::const_buffer(asio::buffer(text)), body});
    sent = whole ? body.size() : 0;
    co_return whole;
  }

  std::unique_ptr<StreamTurns::Turn> turn_;  // Of the stream that is sent, or waits.

 private:
  // The next bytes into `out`; 0 once it is whole.
  Awaitable<Answer<size_t>> readPiece(RequestReader& reader, std::span<std::byte> out) {
    while (!reader.bodyDone()) {
      size_t used = 0;
      const auto got = reader.readBody(bytes.arrived(), used, out);
      bytes.use(used);
      if (!got || *got > 0) {
        if (got) received += *got;
        co_return got;
      }
      if (reader.bodyDone()) break;
      expect(patience(received) - sinceBegin());
      if (co_await bytes.readSome(kBodyRead)) continue;
      if (timedOut)
        co_return refuse(408, "timeout", "the body came too slowly",
                         "send it faster, or in smaller parts");
      co_return refuse(400, "length_mismatch", "the body ended before its length",
                       "send it again, or continue the upload at the offset that HEAD reports");
    }
    co_return size_t{0};
  }

  Awaitable<bool> writeStream(const Response& response, bool chunked) {
    // Runs on a worker, which waits for each piece to be taken by the client.
    bool clientIsGone = false;
    const auto write = [&](std::string_view piece) -> Status {
      if (piece.empty()) return {};
      const bool taken =
          asio::co_spawn(loop.context.get_executor(), writePiece(piece, chunked), asio::use_future)
              .get();
      clientIsGone |= !taken;
      return taken ? Status() : failure(Error::Kind::kIo, "the client went away");
    };
    const bool whole = co_await onWorker(shared.streams, [&]() -> bool {
      // The client sees the cut connection.
      try {
        const Status made = response.stream(write);
        if (!made && !clientIsGone)
          shared.reportFault("a stream: " + made.error().message, made.error().message);
        return made.has_value();
      } catch (const std::exception& exception) {
        shared.reportFault(fmt::format("a stream: {}", exception.what()), exception.what());
        return false;
      }
    });
    if (!whole || !chunked) co_return whole;
    constexpr std::string_view kLastChunk = "0\r\n\r\n";
    expect(patience(0));
    co_return co_await bytes.writeAll(asio::buffer(kLastChunk));
  }

  Awaitable<bool> writePiece(std::string_view piece, bool chunked) {
    if (turn_->hasEnded()) co_return false;
    expect(patience(piece.size()));
    const std::string size = chunked ? fmt::format("{:x}\r\n", piece.size()) : std::string();
    const std::string_view end = chunked ? "\r\n" : "";
    const bool taken = co_await bytes.writeAll(std::array{asio::const_buffer(asio::buffer(size)),
                                                          asio::const_buffer(asio::buffer(piece)),
                                                          asio::const_buffer(asio::buffer(end))});
    expectNothing();
    if (taken) {
      sent += piece.size();
      turn_->moved();
    }
    co_return taken;
  }

  // Reads ahead no further than one piece: a slow client costs that piece.
  Awaitable<bool> writeSource(const Response& response) {
    constexpr size_t kSourcePiece = 512 * 1024;
    std::vector<std::byte> piece(std::min(response.length, kSourcePiece));
    for (size_t left = response.length; left > 0;) {
      expectNothing();
      const auto count = co_await onWorker(shared.workers, [&]() -> Result<size_t> {
        try {
          return response.source(std::span(piece).first(std::min(left, piece.size())));
        } catch (const std::exception& exception) {
          return failure(Error::Kind::kResource, exception.what());
        }
      });
      if (!count) shared.reportFault("a content: " + count.error().message, count.error().message);
      if (!count || *count == 0) co_return false;  // The client sees the cut connection.
      expect(patience(*count));
      if (!co_await bytes.writeAll(asio::buffer(piece.data(), *count))) co_return false;
      sent += *count;
      left -= *count;
    }
    co_return true;
  }

  Steady::time_point now() const { return shared.application.clock.steady(); }

  Steady::time_point began_;
};

}  // namespace vintage::archive

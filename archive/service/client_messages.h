// A request and its response on a client's stream: a body, whole in memory or
// piece by piece into a sink; a response of bytes that are there, a content that is read on the
// way, or a stream that a worker makes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

#include "archive/service/client_stream.h"
#include "archive/service/http_messages.h"
#include "archive/service/problem.h"
#include "archive/service/stream_turns.h"

namespace vintage::archive {

// `reader` has read the head. Its problems are answered with a part of the request unread; one of
// them may come after a piece of the body.
class RequestBody {
 public:
  RequestBody(ClientStream& client, RequestReader& reader) : client_(client), reader_(reader) {}

  // Into request.body; `memory` grows by what arrives.
  Awaitable<Answer<void>> readWhole(Request& request, BudgetShare& memory) {
    const uint64_t limit = application().bodyLimit(request);
    std::vector<std::byte> piece(kBodyRead);
    // The stated length is within the limit; reserved memory costs nothing until it
    // is written.
    request.body.reserve(std::min(limit, request.contentLength.value_or(0)));
    while (true) {
      const auto got = co_await readPiece(piece);
      if (!got) co_return tl::unexpected(got.error());
      if (*got == 0) co_return Answer<void>();
      if (client_.received > limit)
        co_return refuse(
            413, "too_large",
            fmt::format("the body has more than the {} bytes that are accepted here", limit),
            "send it in several requests");
      if (!memory.grow(*got)) co_return tooMuchAtOnce();
      if (!request.contentLength) {
        if (auto problem = application().usage.take(request.identity, 0, *got))
          co_return tl::unexpected(std::move(*problem));
      }
      request.body.append(reinterpret_cast<const char*>(piece.data()), *got);
    }
  }

  // Until the body is whole, does not arrive, or the sink takes no more, which its finish()
  // explains.
  Awaitable<Answer<void>> passTo(BodySink& sink) {
    constexpr size_t kSinkPiece = 512 * 1024;
    std::vector<std::byte> piece(kSinkPiece);
    while (!reader_.bodyDone()) {
      // A piece is filled before it is handed on, so that few of them are.
      size_t filled = 0;
      std::optional<Problem> problem;
      while (filled < piece.size() && !problem) {
        const auto got = co_await readPiece(std::span(piece).subspan(filled));
        if (!got) problem = got.error();
        if (!got || *got == 0) break;
        filled += *got;
      }
      client_.expectNothing();
      const bool taken = filled == 0 || co_await onWorker(client_.shared.workers, [&] {
                           return sink.append(std::span(piece).first(filled)).has_value();
                         });
      if (problem) co_return tl::unexpected(std::move(*problem));
      if (!taken) break;
    }
    co_return Answer<void>();
  }

 private:
  Application& application() const { return client_.shared.application; }

  // The next bytes into `out`; 0 once it is whole.
  Awaitable<Answer<size_t>> readPiece(std::span<std::byte> out) {
    while (!reader_.bodyDone()) {
      size_t used = 0;
      const auto got = reader_.readBody(client_.bytes.arrived(), used, out);
      client_.bytes.use(used);
      if (!got || *got > 0) {
        if (got) client_.received += *got;
        co_return got;
      }
      if (reader_.bodyDone()) break;
      client_.expect(client_.patience(client_.received) - client_.sinceBegin());
      if (co_await client_.bytes.readSome(kBodyRead)) continue;
      if (client_.timedOut)
        co_return refuse(408, "timeout", "the body came too slowly",
                         "send it faster, or in smaller parts");
      co_return refuse(400, "length_mismatch", "the body ended before its length",
                       "send it again, or continue the upload at the offset that HEAD reports");
    }
    co_return size_t{0};
  }

  ClientStream& client_;
  RequestReader& reader_;
};

// `turn` is that of a response with a stream, null for others.
class ResponseWriter {
 public:
  ResponseWriter(ClientStream& client, StreamTurns::Turn* turn) : client_(client), turn_(turn) {}

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
  Awaitable<bool> writeStream(const Response& response, bool chunked) {
    // Runs on a worker, which waits for each piece to be taken by the client.
    const auto write = [&](std::string_view piece) -> Status {
      if (piece.empty()) return {};
      const bool taken = asio::co_spawn(client_.loop.context.get_executor(),
                                        writePiece(piece, chunked), asio::use_future)
                             .get();
      return taken ? Status() : failure(Error::Kind::kIo, "the client went away");
    };
    const bool whole = co_await onWorker(client_.shared.streams, [&]() -> bool {
      try {
        return response.stream(write).has_value();
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
          return response.source(std::span(piece).first(std::min(left, piece.size())));
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

  ClientStream& client_;
  StreamTurns::Turn* turn_;
};

}  // namespace vintage::archive

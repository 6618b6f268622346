// The body of one request: whole in memory, or piece by piece into a sink.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "archive/service/client_stream.h"
#include "archive/service/problem.h"
#include "archive/service/request_reader.h"
#include "archive/service/worker_call.h"

namespace vintage::archive {

// `reader` has read the head. Its problems are answered with a part of the request unread; one of
// them may come after a piece of the body.
template <typename Stream>
class RequestBody {
 public:
  RequestBody(ClientStream<Stream>& client, RequestReader& reader)
      : client_(client), reader_(reader) {}

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
        co_return tl::unexpected(Problem{413, "too_large",
                                         fmt::format("the body has more than the {} bytes that are "
                                                     "accepted here",
                                                     limit),
                                         "send it in several requests"});
      if (!memory.grow(*got)) co_return tl::unexpected(tooMuchAtOnce());
      if (!request.contentLength) {
        if (auto problem = application().overQuota(request, *got))
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
        co_return tl::unexpected(Problem{408, "timeout", "the body came too slowly",
                                         "send it faster, or in smaller parts"});
      co_return tl::unexpected(cutShort());
    }
    co_return size_t{0};
  }

  ClientStream<Stream>& client_;
  RequestReader& reader_;
};

}  // namespace vintage::archive

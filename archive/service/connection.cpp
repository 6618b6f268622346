#include "archive/service/connection.h"

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_future.hpp>

#include "archive/service/byte_stream.h"
#include "archive/service/request_guards.h"
#include "archive/service/request_reader.h"
#include "archive/service/response_head.h"
#include "archive/service/worker_call.h"

namespace vintage::archive::service {
namespace {

using boost::system::error_code;

constexpr auto kLingerTime = std::chrono::seconds(2);
constexpr size_t kFirstRead = 8 * 1024;
constexpr size_t kSinkPiece = 512 * 1024;

template <typename Stream>
class Connection final : public LoopMember,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, TlsContext::Context tls, EventLoop& loop, ServerShared& shared,
             std::function<void()> ended)
      : tls_(std::move(tls)),
        bytes_(std::move(stream)),
        loop_(loop),
        shared_(shared),
        ended_(std::move(ended)),
        turnBegins_(loop.context) {
    error_code ignored;
    const auto peer = bytes_.socket().remote_endpoint(ignored);
    peer_ = endpointText(peer);
    bytes_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  void start() {
    loop_.members.insert(this);
    asio::co_spawn(loop_.context.get_executor(), run(this->shared_from_this()), asio::detached);
  }

  void cut() override {
    error_code ignored;
    // Ends what waits; the coroutine may still answer why.
    bytes_.socket().cancel(ignored);
    if (loop_.stopping) bytes_.socket().close(ignored);
  }

 private:
  void expect(std::chrono::nanoseconds time) {
    deadline =
        shared_.application.clock().steady() + std::chrono::duration_cast<Steady::duration>(time);
    timedOut = false;
  }
  // A body or a response of `bytes` so far may have taken so long.
  std::chrono::nanoseconds patience(uint64_t bytes) const {
    const double rate = static_cast<double>(std::max<uint64_t>(1, shared_.options.bytesPerSecond));
    return shared_.options.graceTime +
           std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(bytes) / rate * 1e9));
  }

  // The parameter keeps the connection as long as the coroutine runs.
  Awaitable<void> run(std::shared_ptr<Connection> self) {
    // What a library throws here would otherwise leave the loop with a connection that is gone.
    try {
      if (co_await handshake()) {
        while (co_await exchange()) {
        }
        expect(kLingerTime);
        co_await bytes_.end(linger_);
      }
    } catch (const std::exception&) {
      // The client sees the cut connection.
    }
    error_code ignored;
    bytes_.socket().close(ignored);
    loop_.members.erase(this);
    ended_();
  }

  Awaitable<bool> handshake() {
    if constexpr (ByteStream<Stream>::kSecure) {
      idle = false;
      expect(shared_.options.headTime);
    }
    co_return co_await bytes_.handshake();
  }

  // One request and its response. False where the connection ends.
  Awaitable<bool> exchange() {
    RequestReader reader(shared_.application.limits().headerBytes);
    Request request;
    request.peer = peer_;
    const auto head = co_await readHead(reader);
    if (!head) {
      if (head.error().status == 0) co_return false;  // Nobody reads an answer.
      begin(request);
      co_return co_await refuse(request, respond(head.error()));
    }
    begin(request);
    if (const auto described = reader.describe(request); !described)
      co_return co_await refuse(request, respond(described.error()));
    http10_ = reader.isHttp10();
    if (auto refusal = shared_.application.admit(request)) {
      if (!request.hasBody())
        co_return co_await send(request, std::move(*refusal), reader.keepAlive());
      co_return co_await refuse(request, std::move(*refusal));
    }
    if (shared_.application.usage().isDue())
      co_await onWorker(shared_.workers,
                        [&] { return shared_.application.usage().flush().has_value(); });
    const bool waits = request.header("expect") != nullptr && !http10_;
    if (request.hasBody() && waits && bytes_.arrived().empty()) {
      expect(patience(0));
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      if (!co_await bytes_.writeAll(asio::buffer(kContinue))) co_return false;
    }
    if (request.route->body == BodyForm::kStream) co_return co_await streamBody(reader, request);

    BudgetShare memory(shared_.application.bodies(), Application::holderOf(request));
    if (request.hasBody()) {
      const auto read = co_await readBody(reader, request, memory);
      if (!read && read.error().status == 0) co_return false;
      if (!read) co_return co_await refuse(request, respond(read.error()));
    }
    deadline = Steady::time_point::max();  // From here on the client waits for us.
    std::optional<Response> response;
    if (request.route->thread == HandlerThread::kLoop ||
        request.route->thread == HandlerThread::kTry)
      response = answer(request, true);
    if (!response && request.route->thread == HandlerThread::kProver)
      response = co_await proofs(request);
    if (!response && request.route->thread == HandlerThread::kPusher)
      response = co_await pushed(request);
    if (!response)
      response = co_await onWorker(shared_.workers, [&] { return *answer(request, false); });
    if (response->stream && !co_await waitForTurn(request))
      response = respond(tooManyAtOnce("streams"));
    const bool goesOn = co_await send(request, std::move(*response), reader.keepAlive());
    turn_.reset();
    co_return goesOn;
  }

  // False where too many of this token wait.
  Awaitable<bool> waitForTurn(const Request& request) {
    turn_ = shared_.streamTurns.take(Application::holderOf(request),
                                     [this, weak = this->weak_from_this()] {
                                       asio::post(loop_.context.get_executor(), [this, weak] {
                                         if (const auto self = weak.lock()) turnChanged();
                                       });
                                     });
    while (turn_ && !turn_->hasBegun()) {
      turnBegins_.expires_at(Steady::time_point::max());
      co_await turnBegins_.async_wait(kNoThrow);
    }
    co_return turn_ != nullptr;
  }
  void turnChanged() {
    turnBegins_.cancel();
    error_code ignored;
    // What the client has not taken is not worth another's turn.
    if (turn_ && turn_->hasEnded()) bytes_.socket().cancel(ignored);
  }

  Awaitable<Response> proofs(const Request& request) {
    BudgetShare turn(shared_.proofTurns, Application::holderOf(request));
    if (!turn.grow(1)) co_return respond(tooManyAtOnce("proofs"));
    co_return co_await onWorker(shared_.provers, [&] { return *answer(request, false); });
  }

  Awaitable<Response> pushed(const Request& request) {
    const Rest rest =
        co_await onWorkerLater<Rest>(shared_.pushers, [this, &request](const Answered& answered) {
          shared_.application.answerLater(request, answered);
        });
    if (!rest.takesLong) co_return guarded(rest.respond);
    co_return co_await onWorker(shared_.pushers, [&] { return guarded(rest.respond); });
  }

  std::optional<Response> answer(const Request& request, bool onEventLoop) {
    bool later = false;
    Response response = guarded([&] {
      auto made = shared_.application.answer(request, onEventLoop);
      later = !made;
      return made ? std::move(*made) : Response();
    });
    if (later) return std::nullopt;
    return response;
  }

  void begin(Request& request) {
    began_ = shared_.application.clock().steady();
    received_ = sent_ = 0;
    request.id = fmt::format("{:08x}{:08x}", static_cast<uint32_t>(shared_.requestSeed),
                             static_cast<uint32_t>(shared_.nextRequest.fetch_add(1)));
  }

  // A problem of status 0: the client went away between requests.
  Awaitable<Answer<void>> readHead(RequestReader& reader) {
    const Problem gone{0, "", "", ""};
    idle = bytes_.arrived().empty();
    if (idle && loop_.stopping) co_return tl::unexpected(gone);
    expect(idle ? shared_.options.idleTime : shared_.options.headTime);
    while (true) {
      if (!bytes_.arrived().empty()) {
        size_t used = 0;
        const auto whole = reader.readHead(bytes_.arrived(), used);
        bytes_.use(used);
        if (!whole) co_return tl::unexpected(whole.error());
        if (*whole) co_return Answer<void>();
      }
      if (!co_await bytes_.readSome(kFirstRead)) {
        if (idle || !timedOut) co_return tl::unexpected(gone);
        co_return tl::unexpected(Problem{
            408, "timeout", "the request's head did not arrive in time", "send it at once"});
      }
      if (idle) expect(shared_.options.headTime);
      idle = false;
    }
  }

  // The next bytes of the body into `out`; 0 once it is whole.
  Awaitable<Answer<size_t>> readPiece(RequestReader& reader, std::span<std::byte> out) {
    while (!reader.bodyDone()) {
      size_t used = 0;
      const auto got = reader.readBody(bytes_.arrived(), used, out);
      bytes_.use(used);
      if (!got || *got > 0) {
        if (got) received_ += *got;
        co_return got;
      }
      if (reader.bodyDone()) break;
      expect(patience(received_) - (shared_.application.clock().steady() - began_));
      if (co_await bytes_.readSome(kBodyRead)) continue;
      if (timedOut)
        co_return tl::unexpected(Problem{408, "timeout", "the body came too slowly",
                                         "send it faster, or in smaller parts"});
      co_return tl::unexpected(cutShort());
    }
    co_return size_t{0};
  }

  Awaitable<Answer<void>> readBody(RequestReader& reader, Request& request, BudgetShare& memory) {
    const uint64_t limit = shared_.application.bodyLimit(request);
    std::vector<std::byte> piece(kBodyRead);
    // The stated length is within the limit; reserved memory costs nothing until it
    // is written.
    request.body.reserve(std::min(limit, request.contentLength.value_or(0)));
    while (true) {
      const auto got = co_await readPiece(reader, piece);
      if (!got) co_return tl::unexpected(got.error());
      if (*got == 0) co_return Answer<void>();
      if (received_ > limit)
        co_return tl::unexpected(Problem{413, "too_large",
                                         fmt::format("the body has more than the {} bytes that are "
                                                     "accepted here",
                                                     limit),
                                         "send it in several requests"});
      if (!memory.grow(*got)) co_return tl::unexpected(tooMuchAtOnce());
      if (!request.contentLength) {
        if (auto problem = shared_.application.overQuota(request, *got))
          co_return tl::unexpected(std::move(*problem));
      }
      request.body.append(reinterpret_cast<const char*>(piece.data()), *got);
    }
  }

  Awaitable<bool> streamBody(RequestReader& reader, Request& request) {
    auto& application = shared_.application;
    std::unique_ptr<BodySink> sink;
    auto refusal = co_await onWorker(shared_.workers, [&]() -> std::optional<Response> {
      bool refused = false;
      Response response = guarded([&] {
        auto opened = application.openSink(request);
        refused = !opened;
        if (refused) return respond(opened.error());
        sink = std::move(*opened);
        return Response();
      });
      if (!refused && sink) return std::nullopt;
      return response;
    });
    if (refusal) {
      if (!request.hasBody())
        co_return co_await send(request, std::move(*refusal), reader.keepAlive());
      co_return co_await refuse(request, std::move(*refusal));
    }
    std::vector<std::byte> piece(kSinkPiece);
    bool whole = false, refused = false;
    Problem problem;
    while (!whole && !refused) {
      // A piece is filled before it is handed on, so that few of them are.
      size_t filled = 0;
      while (filled < piece.size()) {
        const auto got = co_await readPiece(reader, std::span(piece).subspan(filled));
        if (!got) {
          refused = true;
          problem = got.error();
        }
        if (!got || *got == 0) break;
        filled += *got;
      }
      whole = !refused && reader.bodyDone();
      if (filled == 0) break;
      deadline = Steady::time_point::max();
      const auto taken = co_await onWorker(
          shared_.workers, [&] { return sink->append(std::span(piece).first(filled)); });
      if (!taken) break;  // finish() says why.
    }
    whole = whole || (!refused && reader.bodyDone());
    deadline = Steady::time_point::max();
    Response response = co_await onWorker(shared_.workers, [&] {
      Response made = guarded([&] { return sink->finish(whole); });
      sink.reset();
      return made;
    });
    if (refused) co_return co_await refuse(request, respond(problem));
    if (!reader.bodyDone()) co_return co_await refuse(request, std::move(response));
    co_return co_await send(request, std::move(response), reader.keepAlive());
  }

  // Answers with a part of the request unread.
  Awaitable<bool> refuse(const Request& request, Response response) {
    linger_ = true;
    co_return co_await send(request, std::move(response), false);
  }

  Awaitable<bool> send(const Request& request, Response response, bool keepAlive) {
    const bool head = request.method == "HEAD";
    const bool chunked = response.stream && !http10_;
    keepAlive = keepAlive && !response.close && !loop_.stopping && (!response.stream || chunked);
    if (head && !response.statedLength) response.statedLength = response.text.size();
    const std::string text =
        responseHead({response, loop_.httpDate(), request.id, keepAlive, chunked});
    bool whole;
    if (response.stream) {
      expect(patience(0));
      whole =
          co_await bytes_.writeAll(asio::buffer(text)) && co_await sendStream(response, chunked);
    } else if (response.source && !head) {
      expect(patience(0));
      whole = co_await bytes_.writeAll(asio::buffer(text)) && co_await sendSource(response);
    } else {
      const asio::const_buffer body =
          head ? asio::const_buffer()
          : response.bytes
              ? asio::const_buffer(response.bytes->data() + response.offset, response.length)
              : asio::buffer(response.text);
      expect(patience(body.size()));
      whole = co_await bytes_.writeAll(std::array{asio::const_buffer(asio::buffer(text)), body});
      sent_ = whole ? body.size() : 0;
    }
    const double seconds =
        std::chrono::duration<double>(shared_.application.clock().steady() - began_).count();
    const auto routes = archive::service::routes();
    const size_t operation = request.route != nullptr
                                 ? static_cast<size_t>(request.route - routes.data())
                                 : routes.size();
    shared_.application.metrics().countRequest(operation, response.status, seconds, received_,
                                               sent_);
    shared_.log.write({request, request.route != nullptr ? request.route->operation : "",
                       response.status, received_, sent_, seconds});
    co_return whole && keepAlive;
  }

  // Runs on a worker, which waits for each piece to be taken by the client.
  class Pieces final : public BodyWriter {
   public:
    Pieces(Connection& connection, bool chunked) : connection_(connection), chunked_(chunked) {}
    Status write(std::string_view piece) override {
      if (piece.empty()) return {};
      const bool taken = asio::co_spawn(connection_.loop_.context.get_executor(),
                                        connection_.sendPiece(piece, chunked_), asio::use_future)
                             .get();
      if (taken) return {};
      return failure(Error::Kind::kIo, "the client went away");
    }

   private:
    Connection& connection_;
    bool chunked_;
  };

  Awaitable<bool> sendStream(Response& response, bool chunked) {
    const bool whole = co_await onWorker(shared_.streams, [&]() -> bool {
      Pieces pieces(*this, chunked);
      try {
        return response.stream(pieces).has_value();
      } catch (const std::exception&) {
        return false;  // The client sees the cut connection.
      }
    });
    if (!whole || !chunked) co_return whole;
    constexpr std::string_view kLastChunk = "0\r\n\r\n";
    expect(patience(0));
    co_return co_await bytes_.writeAll(asio::buffer(kLastChunk));
  }

  // Reads ahead no further than one piece: a slow client costs that piece.
  Awaitable<bool> sendSource(Response& response) {
    std::vector<std::byte> piece(std::min(response.length, kSinkPiece));
    for (size_t left = response.length; left > 0;) {
      deadline = Steady::time_point::max();
      const auto count = co_await onWorker(shared_.workers, [&]() -> Result<size_t> {
        try {
          return response.source->read(std::span(piece).first(std::min(left, piece.size())));
        } catch (const std::exception& exception) {
          return failure(Error::Kind::kResource, exception.what());
        }
      });
      if (!count || *count == 0) co_return false;  // The client sees the cut connection.
      expect(patience(*count));
      if (!co_await bytes_.writeAll(asio::buffer(piece.data(), *count))) co_return false;
      sent_ += *count;
      left -= *count;
    }
    co_return true;
  }

  Awaitable<bool> sendPiece(std::string_view piece, bool chunked) {
    if (turn_->hasEnded()) co_return false;
    expect(patience(piece.size()));
    const std::string size = chunked ? fmt::format("{:x}\r\n", piece.size()) : std::string();
    const std::string_view end = chunked ? "\r\n" : "";
    const bool taken = co_await bytes_.writeAll(std::array{asio::const_buffer(asio::buffer(size)),
                                                           asio::const_buffer(asio::buffer(piece)),
                                                           asio::const_buffer(asio::buffer(end))});
    deadline = Steady::time_point::max();
    if (taken) {
      sent_ += piece.size();
      turn_->moved();
    }
    co_return taken;
  }

  const TlsContext::Context tls_;  // The stream uses it to its end.
  ByteStream<Stream> bytes_;
  EventLoop& loop_;
  ServerShared& shared_;
  std::function<void()> ended_;
  std::string peer_;
  bool http10_ = false, linger_ = false;
  std::unique_ptr<StreamTurns::Turn> turn_;  // Of the stream that is sent, or waits.
  Timer turnBegins_;
  Steady::time_point began_;
  uint64_t received_ = 0, sent_ = 0;
};

}  // namespace

void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared, TlsContext::Context tls,
                     std::function<void()> ended) {
  if (tls) {
    TlsStream stream(std::move(socket), *tls);
    std::make_shared<Connection<TlsStream>>(std::move(stream), std::move(tls), loop, shared,
                                            std::move(ended))
        ->start();
  } else {
    std::make_shared<Connection<Socket>>(std::move(socket), nullptr, loop, shared, std::move(ended))
        ->start();
  }
}

}  // namespace vintage::archive::service

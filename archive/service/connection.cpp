#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "archive/service/client_stream.h"
#include "archive/service/event_loop.h"
#include "archive/service/http_messages.h"
#include "archive/service/problem.h"

namespace vintage::archive {
namespace {

// For the rest of a request that was refused: of a stated length, and of another.
constexpr auto kDrainTime = std::chrono::seconds(30), kLingerTime = std::chrono::seconds(2);
constexpr uint64_t kLingerBytes = uint64_t{1} << 20;
constexpr size_t kFirstRead = 8 * 1024;

Response tooManyAtOnce(std::string_view what) {
  return respond({503, "busy", fmt::format("too many {} are under way", what),
                  "wait until one of yours has ended, or for the time in Retry-After"});
}

class Connection final : public ClientStream, public std::enable_shared_from_this<Connection> {
 public:
  Connection(Socket socket, TlsContext::Context tls, EventLoop& loop, ServerShared& shared,
             std::function<void()> ended)
      : ClientStream(std::move(socket), std::move(tls), loop, shared),
        ended_(std::move(ended)),
        turnBegins_(loop.context) {}

  void start() {
    loop.clients.insert(this);
    asio::co_spawn(loop.context.get_executor(), run(shared_from_this()), asio::detached);
  }

 private:
  // The parameter keeps the connection as long as the coroutine runs.
  Awaitable<void> run(std::shared_ptr<Connection> self) {
    // An exception of a library must not leave the loop with a connection that is gone.
    try {
      if (co_await handshake()) {
        while (co_await exchange()) {
        }
        idle = true;  // It has its answer: a server that stops does not wait for it.
        expect(unread_ > kLingerBytes ? kDrainTime : kLingerTime);
        co_await bytes.end(loop.stopping ? 0 : unread_);
      }
    } catch (const std::exception&) {
      // The client sees the cut connection.
    }
    boost::system::error_code ignored;
    bytes.socket().close(ignored);
    loop.clients.erase(this);
    ended_();
  }

  Awaitable<bool> handshake() {
    if (bytes.isSecure()) {
      idle = false;
      expect(shared.options.headTime);
    }
    co_return co_await bytes.handshake();
  }

  // One request and its response. False where the connection ends.
  Awaitable<bool> exchange() {
    RequestReader reader(shared.application.options.limits.headerBytes);
    Request request;
    request.peer = peer;
    const auto head = co_await readHead(reader);
    if (!head) {
      if (head.error().status == 0) co_return false;  // Nobody reads an answer.
      beginRequest(request);
      co_return co_await refuse(request, respond(head.error()));
    }
    beginRequest(request);
    if (const auto described = reader.describe(request); !described)
      co_return co_await refuse(request, respond(described.error()));
    http10_ = reader.isHttp10();
    if (const auto admitted = shared.application.admit(request); !admitted)
      co_return co_await refuseUnread(reader, request, respond(admitted.error()));
    if (shared.application.usage.isDue())
      co_await onWorker(shared.workers,
                        [&] { return shared.application.usage.flush().has_value(); });
    const bool waits = request.header("expect") != nullptr && !http10_;
    if (request.hasBody() && waits && bytes.arrived().empty()) {
      expect(patience(0));
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      if (!co_await bytes.writeAll(asio::buffer(kContinue))) co_return false;
    }
    if (request.route->body == BodyForm::kStream) co_return co_await takeBody(reader, request);

    BudgetShare memory(shared.application.bodies, Application::holderOf(request));
    if (request.hasBody()) {
      const auto read = co_await readWhole(reader, request, memory);
      if (!read && read.error().status == 0) co_return false;
      if (!read) co_return co_await refuse(request, respond(read.error()));
    }
    expectNothing();
    std::optional<Response> response;
    if (request.route->thread == HandlerThread::kLoop) response = answer(request, true);
    if (!response) response = co_await answerOnThread(request);
    const bool streams = response->stream && request.method != "HEAD";
    if (streams && !co_await waitForTurn(request)) response = tooManyAtOnce("streams");
    const bool goesOn = co_await send(request, std::move(*response), reader.keepAlive());
    turn_.reset();
    co_return goesOn;
  }

  // False where too many of this token wait.
  Awaitable<bool> waitForTurn(const Request& request) {
    turn_ =
        shared.streamTurns.take(Application::holderOf(request), [this, weak = weak_from_this()] {
          asio::post(loop.context.get_executor(), [this, weak] {
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
    // A client whose turn has ended gets no more bytes.
    if (turn_ && turn_->hasEnded()) bytes.stopWriting();
  }

  Awaitable<Response> answerOnThread(const Request& request) {
    const HandlerThread thread = request.route->thread;
    BudgetShare turn(shared.proofTurns, Application::holderOf(request));
    if (thread == HandlerThread::kProver && !turn.grow(1)) co_return tooManyAtOnce("proofs");
    co_return co_await onWorker(shared.threadsOf(thread), [&] { return *answer(request, false); });
  }

  std::optional<Response> answer(const Request& request, bool onEventLoop) {
    return guarded([&] { return shared.application.answer(request, onEventLoop); });
  }

  void beginRequest(Request& request) {
    begin();
    request.id = fmt::format("{:08x}{:08x}", static_cast<uint32_t>(shared.requestSeed),
                             static_cast<uint32_t>(shared.nextRequest.fetch_add(1)));
  }

  // A problem of status 0: the client went away between requests.
  Awaitable<Answer<void>> readHead(RequestReader& reader) {
    const Problem gone{0, "", "", ""};
    idle = bytes.arrived().empty();
    if (idle && loop.stopping) co_return tl::unexpected(gone);
    expect(idle ? shared.options.idleTime : shared.options.headTime);
    while (true) {
      if (!bytes.arrived().empty()) {
        size_t used = 0;
        const auto whole = reader.readHead(bytes.arrived(), used);
        bytes.use(used);
        if (!whole) co_return tl::unexpected(whole.error());
        if (*whole) co_return Answer<void>();
      }
      if (!co_await bytes.readSome(kFirstRead)) {
        if (idle || !timedOut) co_return tl::unexpected(gone);
        co_return archive::refuse(408, "timeout", "the request's head did not arrive in time",
                                  "send it at once");
      }
      if (idle) expect(shared.options.headTime);
      idle = false;
    }
  }

  // A body that an upload takes as it arrives.
  Awaitable<bool> takeBody(RequestReader& reader, Request& request) {
    const Call call{shared.application, request};
    std::unique_ptr<UploadChunk> chunk;
    auto refusal = co_await onWorker(shared.workers, [&] {
      return guarded([&]() -> std::optional<Response> {
        auto opened = request.route->open(call);
        if (!opened) return respond(opened.error());
        chunk = std::move(*opened);
        return std::nullopt;
      });
    });
    if (refusal) co_return co_await refuseUnread(reader, request, std::move(*refusal));
    const auto passed = co_await passTo(reader, *chunk);
    expectNothing();
    Response response = co_await onWorker(shared.workers, [&] {
      Response made =
          guarded([&] { return passed ? finishChunk(call, *chunk) : respond(passed.error()); });
      chunk.reset();  // The received bytes of an interrupted chunk count from here on.
      return made;
    });
    if (!reader.bodyDone()) co_return co_await refuse(request, std::move(response));
    co_return co_await send(request, std::move(response), reader.keepAlive());
  }

  // Before its body was read, if it has one.
  Awaitable<bool> refuseUnread(RequestReader& reader, const Request& request, Response response) {
    if (request.hasBody()) co_return co_await refuse(request, std::move(response));
    co_return co_await send(request, std::move(response), reader.keepAlive());
  }

  // Answers with a part of the request unread. A client that expects "100 Continue" then sends no
  // body.
  Awaitable<bool> refuse(const Request& request, Response response) {
    const uint64_t read = received + bytes.arrived().size();
    const bool waits = request.header("expect") != nullptr && read == 0;
    unread_ = waits ? kLingerBytes
                    : std::max(kLingerBytes, request.contentLength.value_or(0) -
                                                 std::min(read, request.contentLength.value_or(0)));
    co_return co_await send(request, std::move(response), false);
  }

  Awaitable<bool> send(const Request& request, Response response, bool keepAlive) {
    const bool head = request.method == "HEAD";
    const bool chunked = response.stream && !http10_;
    keepAlive = keepAlive && !loop.stopping && (!response.stream || chunked);
    // An operator who hears of the failure finds its reason in the log.
    if (!response.fault.empty()) shared.reportFault(request, response.fault);
    if (head && !response.stream && !response.statedLength)
      response.statedLength = response.text.size();
    const bool whole =
        co_await write({response, loop.httpDate(), request.id, keepAlive, chunked}, head);
    note(request, response.status);
    co_return whole&& keepAlive;
  }

  void note(const Request& request, int status) {
    const double seconds = std::chrono::duration<double>(sinceBegin()).count();
    const auto routes = archive::routes();
    const size_t operation = request.route != nullptr
                                 ? static_cast<size_t>(request.route - routes.data())
                                 : routes.size();
    shared.application.metrics.countRequest(operation, status, seconds, received, sent);
    shared.log.write(request, status, received, sent, seconds);
  }

  std::function<void()> ended_;
  bool http10_ = false;
  uint64_t unread_ = 0;  // Of the last request.
  Timer turnBegins_;
};

}  // namespace

void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared, TlsContext::Context tls,
                     std::function<void()> ended) {
  std::make_shared<Connection>(std::move(socket), std::move(tls), loop, shared, std::move(ended))
      ->start();
}

}  // namespace vintage::archive

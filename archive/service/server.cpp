#include "archive/service/server.h"

#include <condition_variable>
#include <future>
#include <list>
#include <mutex>
#include <random>

#include <fmt/format.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "archive/service/client_stream.h"
#include "archive/service/event_loop.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using asio::ip::tcp;
using boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Guard = asio::executor_work_guard<Executor>;

constexpr auto kTick = std::chrono::milliseconds(500);
constexpr int kProofsForEachProver = 8;  // One is computed, the others wait.
constexpr auto kTidyEvery = std::chrono::hours(1);

// Periodic work that a worker does; a chore does not start again while it is under way.
struct Chore {
  Chore(Steady::duration every, Steady::time_point first, std::function<void()> run)
      : every(every), run(std::move(run)), next(first) {}

  const Steady::duration every;
  const std::function<void()> run;
  Steady::time_point next;  // Under `dueChores`.
  std::atomic<bool> underWay{false};
};

}  // namespace

ServerShared::ServerShared(const ServerOptions& options, Application& application, AccessLog& log)
    : options(options),
      application(application),
      log(log),
      workers(options.workers),
      pushers(options.pushers),
      streams(options.streams),
      provers(options.provers),
      streamTurns(std::max(1, options.streams), std::max(1, options.streams - options.streams / 4)),
      proofTurns(int64_t{kProofsForEachProver} * std::max(1, options.provers)) {}

struct Server::State : ServerShared {
  using ServerShared::ServerShared;

  std::unique_ptr<TlsContext> tls;
  std::list<Chore> chores;
  std::mutex dueChores;
  std::mutex refusalMutex;
  std::string lastRefusal;  // Under refusalMutex.
  std::vector<std::unique_ptr<EventLoop>> loops;
  std::vector<Guard> guards;
  std::unique_ptr<Acceptor> acceptor;
  std::unique_ptr<Timer> room;
  std::string url;
  uint16_t port = 0;
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::condition_variable allEnded;
  int64_t open = 0;  // Under the mutex.
  bool stopped = false;

  Result<tcp::endpoint> endpoint() const {
    error_code error;
    asio::io_context resolving;
    tcp::resolver resolver(resolving);
    const auto found = resolver.resolve(options.address, std::to_string(options.port),
                                        tcp::resolver::passive, error);
    if (error || found.empty())
      return usageError("'{}' is not an address of this machine: {}", options.address,
                        error.message());
    return found.begin()->endpoint();
  }

  Status listen() {
    ASSIGN_OR_RETURN(const auto place, endpoint());
    error_code error;
    acceptor = std::make_unique<Acceptor>(loops[0]->context.get_executor());
    acceptor->open(place.protocol(), error);
    if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor->bind(place, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      const std::string_view next =
          error == asio::error::address_in_use ? "choose another port, or 0 for a free one"
          : error.value() == EADDRNOTAVAIL ? "this machine has no such address: 'ip address' lists "
                                             "those it has; 0.0.0.0 or [::] "
                                             "is all of them"
          : error == asio::error::access_denied
              ? "ports below 1024 need the right to them: choose another one"
              : "look at the address and the port";
      return ioError("{}:{}: cannot listen there: {}; {}", options.address, options.port,
                     error.message(), next);
    }
    const auto local = acceptor->local_endpoint(error);
    port = local.port();
    url = fmt::format("{}://{}", tls ? "https" : "http", endpointText(local));
    if (!tls && !local.address().is_loopback())
      options.report(fmt::format(
          "{}: everybody on the way reads tokens and contents, and can change them: there is no "
          "TLS; give --certificate and --key, or listen on 127.0.0.1 behind a proxy that has them",
          url));
    return {};
  }

  void run() {
    const auto now = application.clock.steady();
    chores.emplace_back(kTidyEvery, now,
                        [this] { application.uploads.removeAbandoned(application.clock.now()); });
    // Also where no request follows.
    chores.emplace_back(std::chrono::seconds(1), now, [this] {
      if (!application.usage.isDue()) return;
      if (const Status flushed = application.usage.flush(); !flushed)
        reportFault(flushed.error().message, flushed.error().message);
    });
    if (tls) chores.emplace_back(options.lookTime, now, [this] { lookAtCertificate(false); });
    for (const auto& loop : loops) {
      guards.push_back(asio::make_work_guard(loop->context));
      watch(*loop);
    }
    asio::co_spawn(loops[0]->context.get_executor(), acceptAll(), asio::detached);
    for (const auto& loop : loops) loop->thread = std::thread([&loop] { loop->context.run(); });
  }

  // Waits while there are as many connections as are allowed, or no descriptors.
  Awaitable<void> acceptAll() {
    for (size_t next = 0; !stopping; ++next) {
      EventLoop& loop = *loops[next % loops.size()];
      while (!stopping && application.metrics.connections.load() >= options.connections) {
        room->expires_after(std::chrono::hours(1));
        co_await room->async_wait(kNoThrow);
      }
      auto [error, socket] = co_await acceptor->async_accept(loop.context.get_executor(), kNoThrow);
      if (stopping) co_return;
      if (error) {
        reportFault(fmt::format("no connection can be accepted: {}; the server waits for "
                                "descriptors: raise its limit (ulimit -n, LimitNOFILE=), or lower "
                                "--connections",
                                error.message()),
                    error.message());
        room->expires_after(std::chrono::milliseconds(100));
        co_await room->async_wait(kNoThrow);
        continue;
      }
      {
        const std::lock_guard lock(mutex);
        ++open;
      }
      application.metrics.connections.fetch_add(1);
      application.metrics.connectionsAccepted.fetch_add(1);
      asio::post(loop.context.get_executor(), [this, &loop, socket = std::move(socket)]() mutable {
        serveConnection(std::move(socket), loop, *this, tls ? tls->current() : nullptr,
                        [this] { connectionEnded(); });
      });
    }
  }

  // Deadlines are looked at twice a second: exact enough for them, and cheaper
  // than a timer for each read.
  void watch(EventLoop& loop) {
    loop.tick.expires_after(kTick);
    loop.tick.async_wait([this, &loop](const error_code& error) {
      if (error) return;
      cutWhoIsLate(loop);
      if (&loop == loops[0].get()) {
        log.flush();
        doChores();
      }
      watch(loop);
    });
  }

  void cutWhoIsLate(EventLoop& loop) {
    const auto now = application.clock.steady();
    for (ClientStream* client : loop.clients) {
      if (now < client->deadline) continue;
      client->timedOut = true;
      // Again at the next tick if it still waits: a cut misses what is between two of its parts.
      client->cut();
    }
  }

  void doChores() {
    const auto now = application.clock.steady();
    const std::lock_guard lock(dueChores);
    for (Chore& chore : chores) {
      if (now < chore.next || chore.underWay.exchange(true)) continue;
      chore.next = now + chore.every;
      workers.post([&chore] {
        chore.run();
        chore.underWay = false;
        chore.underWay.notify_all();
      });
    }
  }

  // Reports a refusal once, and `again` on request.
  void lookAtCertificate(bool again) {
    const auto looked = tls->look();
    const std::lock_guard lock(refusalMutex);
    if (looked) {
      if (*looked)
        options.report(fmt::format("{}: new connections get this certificate from now on",
                                   options.tls.certificate));
      lastRefusal.clear();
      return;
    }
    const std::string& refusal = looked.error().message;
    if (again || refusal != lastRefusal)
      options.report(
          fmt::format("{}; the service keeps the certificate from before and reads the "
                      "files again every {} seconds",
                      refusal, options.lookTime.count()));
    lastRefusal = refusal;
  }

  void connectionEnded() {
    const int64_t before = application.metrics.connections.fetch_sub(1);
    if (before >= options.connections)
      asio::post(loops[0]->context.get_executor(), [this] { room->cancel(); });
    const std::lock_guard lock(mutex);
    if (--open == 0) allEnded.notify_all();
  }

  bool waitUntilNoneOpen(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex);
    return allEnded.wait_for(lock, time, [&] { return open == 0; });
  }
};

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options,
                                              Application& application, AccessLog& log) {
  auto state = std::make_unique<State>(options, application, log);
  if (options.tls != CertificateFiles()) {
    ASSIGN_OR_RETURN(auto tls, TlsContext::open(options.tls, realFileSystem(), application.clock,
                                                application.metrics));
    state->tls = std::move(tls);
    if (const std::string doubt = state->tls->doubt(); !doubt.empty())
      options.report(doubt + "; clients will refuse to connect until it is replaced");
  }
  state->requestSeed = std::random_device()();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 0; i < (options.ioThreads > 0 ? options.ioThreads : cores); ++i)
    state->loops.push_back(std::make_unique<EventLoop>());
  state->room = std::make_unique<Timer>(state->loops[0]->context);
  RETURN_IF_ERROR(state->listen());
  state->run();
  return std::unique_ptr<Server>(new Server(std::move(state)));
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() { stop(); }

const std::string& Server::url() const { return state_->url; }
uint16_t Server::port() const { return state_->port; }

void Server::reload() {
  if (const Status reopened = state_->log.reopen(); !reopened)
    state_->options.report(reopened.error().message + "; it continues in the open file");
  if (state_->tls) state_->lookAtCertificate(true);
}

void Server::look() {
  for (const auto& loop : state_->loops) {
    std::promise<void> done;
    asio::post(loop->context.get_executor(), [&] {
      state_->cutWhoIsLate(*loop);
      done.set_value();
    });
    done.get_future().wait();
  }

  state_->doChores();
  for (const Chore& chore : state_->chores) chore.underWay.wait(true);
}

void Server::stop() {
  State& state = *state_;
  if (std::exchange(state.stopped, true)) return;
  state.stopping = true;
  asio::post(state.loops[0]->context.get_executor(), [&state] {
    error_code ignored;
    state.acceptor->close(ignored);
    state.room->cancel();
  });

  for (const auto& loop : state.loops) {
    asio::post(loop->context.get_executor(), [&loop = *loop] {
      loop.stopping = true;
      for (ClientStream* client : loop.clients)
        if (client->idle) client->cut();
    });
  }

  if (!state.waitUntilNoneOpen(state.options.stopTime)) {
    for (const auto& loop : state.loops) {
      asio::post(loop->context.get_executor(), [&loop = *loop] {
        for (ClientStream* client : loop.clients) client->cut();
      });
    }
    state.waitUntilNoneOpen(std::chrono::hours(1));  // Workers end their current work.
  }

  for (GrowingPool* pool : {&state.workers, &state.pushers, &state.streams, &state.provers})
    pool->join();
  for (const auto& loop : state.loops) loop->context.stop();
  for (const auto& loop : state.loops) loop->thread.join();
  state.log.flush();
}

}  // namespace vintage::archive

// An I/O thread's event loop and the connections on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "archive/service/application.h"
#include "archive/service/growing_pool.h"
#include "archive/service/server.h"
#include "archive/service/stream_turns.h"
#include "archive/service/tls_context.h"

namespace vintage::archive {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> kNoThrow{};
using Steady = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Steady, asio::wait_traits<Steady>, Executor>;

// "127.0.0.1:51234", "[::1]:51234"
inline std::string endpointText(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

class ClientStream;  // client_stream.h

struct EventLoop {
  EventLoop() : context(1), tick(context) {}

  asio::io_context context;
  Timer tick;
  std::thread thread;
  std::unordered_set<ClientStream*> clients;
  bool stopping = false;

  // "Fri, 21 Nov 2026 00:39:32 GMT"
  const std::string& httpDate() {
    const std::time_t now = std::time(nullptr);
    if (now == dateSecond_) return date_;
    dateSecond_ = now;
    date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
    return date_;
  }

 private:
  std::time_t dateSecond_ = 0;
  std::string date_;
};

// The state that all connections share.
struct ServerShared {
  ServerShared(const ServerOptions& options, Application& application, AccessLog& log);
  GrowingPool& threadsOf(HandlerThread thread) {
    return thread == HandlerThread::kPusher   ? pushers
           : thread == HandlerThread::kProver ? provers
                                              : workers;
  }

  // Reports why a request, or other work of the server, failed. The same reason at most once a
  // minute, and 100 reasons: clients must not fill the log.
  void reportFault(const Request& request, const std::string& reason) {
    reportFault(fmt::format("{} {} (request {}): {}", request.method,
                            request.target.substr(0, request.target.find('?')), request.id, reason),
                reason);
  }
  void reportFault(const std::string& line, const std::string& reason) {
    const auto now = application.clock.steady();
    {
      const std::lock_guard lock(faultMutex_);
      std::erase_if(faults_, [&](const auto& fault) {
        return now - fault.second >= std::chrono::minutes(1);
      });
      if (faults_.size() >= 100 || !faults_.emplace(reason, now).second) return;
    }
    options.report(line);
  }

  const ServerOptions options;
  Application& application;
  AccessLog& log;
  // Streams have threads of their own: a slow reader must not hold up a writer.
  GrowingPool workers, pushers, streams, provers;
  StreamTurns streamTurns;
  Budget proofTurns;  // Under way or waiting.
  std::atomic<uint64_t> nextRequest{0};
  uint64_t requestSeed = 0;

 private:
  std::mutex faultMutex_;
  std::map<std::string, Steady::time_point> faults_;
};

// Runs `function` on the pool and comes back to the event loop. It must not throw, and returns
// something.
template <typename Function>
Awaitable<std::invoke_result_t<Function>> onWorker(GrowingPool& workers, Function function) {
  using Value = std::invoke_result_t<Function>;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<Executor>&, void(Value)>(
      [&workers](auto handler, Function work) {
        auto loop = asio::make_work_guard(asio::get_associated_executor(handler));
        workers.post([work = std::move(work), handler = std::move(handler),
                      loop = std::move(loop)]() mutable {
          auto value = work();
          auto executor = loop.get_executor();
          asio::dispatch(executor,
                         [handler = std::move(handler), value = std::move(value)]() mutable {
                           handler(std::move(value));
                         });
        });
      },
      asio::use_awaitable_t<Executor>{}, std::move(function));
}

// One connection: requests one after the other until either side ends it.
// Serves the socket on its loop; `ended` is called on the loop's thread when
// everything of it is gone. With a TLS context the handshake comes first, and
// the connection keeps it.
void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared, TlsContext::Context tls,
                     std::function<void()> ended);

}  // namespace vintage::archive

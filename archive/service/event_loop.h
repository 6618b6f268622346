// An I/O thread's event loop and the connections on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <unordered_set>

#include <fmt/format.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "archive/service/access_log.h"
#include "archive/service/application.h"
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

// What the loop needs to know of a connection. Used on the loop's thread only.
class LoopMember {
 public:
  virtual ~LoopMember() = default;
  // Ends what the connection waits for; its coroutine then ends.
  virtual void cut() = 0;

  Steady::time_point deadline = Steady::time_point::max();
  bool timedOut = false;
  bool idle = true;  // Between requests.
};

struct EventLoop {
  EventLoop() : context(1), tick(context) {}

  asio::io_context context;
  Timer tick;
  std::thread thread;
  std::unordered_set<LoopMember*> members;
  bool stopping = false;

  // "Fri, 21 Nov 2026 00:39:32 GMT"
  const std::string& httpDate() {
    const std::time_t now = std::time(nullptr);
    if (now == dateSecond_) return date_;
    dateSecond_ = now;
    std::tm utc;
    ::gmtime_r(&now, &utc);
    // Not strftime: its names depend on the locale.
    constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    date_ =
        fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                    kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
    return date_;
  }

 private:
  std::time_t dateSecond_ = 0;
  std::string date_;
};

// What all connections share.
struct ServerShared {
  const ServerOptions& options;
  Application& application;
  AccessLog& log;
  asio::thread_pool& workers;
  asio::thread_pool& pushers;
  asio::thread_pool& streams;
  asio::thread_pool& provers;
  StreamTurns& streamTurns;
  Budget& proofTurns;  // Under way or waiting.
  std::atomic<uint64_t> nextRequest{0};
  uint64_t requestSeed = 0;
};

// One connection: requests one after the other until either side ends it.
// Serves the socket on its loop; `ended` is called on the loop's thread when
// everything of it is gone. With a TLS context the handshake comes first, and
// the connection keeps it.
void serveConnection(Socket socket, EventLoop& loop, ServerShared& shared, TlsContext::Context tls,
                     std::function<void()> ended);

}  // namespace vintage::archive

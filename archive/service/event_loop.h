// An I/O thread's event loop and the connections on it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <unordered_set>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "archive/service/access_log.h"
#include "archive/service/application.h"
#include "archive/service/room.h"
#include "archive/service/server.h"
#include "archive/service/stream_turns.h"

namespace vintage::archive::service {

namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
inline constexpr asio::as_tuple_t<asio::use_awaitable_t<Executor>> kNoThrow{};
using Steady = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Steady, asio::wait_traits<Steady>, Executor>;

// "127.0.0.1:51234", "[::1]:51234"
std::string endpointText(const asio::ip::tcp::endpoint& endpoint);

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
  const std::string& httpDate();

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

}  // namespace vintage::archive::service

// The sockets of the service: accepts, reads requests, sends responses.
//
// Each I/O thread runs an event loop of its own with its share of the
// connections, so that a connection needs no lock. A request's answer is made
// on its loop where that is quick, otherwise by a pool of workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "archive/service/application.h"
#include "archive/service/tls_context.h"
#include "golden/base/result.h"

namespace vintage::archive {

// "<6>" where standard error is the journal of systemd, which takes it as the priority of a line
// (sd-daemon(3)); nothing elsewhere.
std::string journalPriority(int priority);

// The access log: one JSON object a line, gathered and written about once a
// second or when there is much of it. Any thread.
class AccessLog {
 public:
  // A file is appended to; "-": standard error; empty: nothing is written.
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path);
  ~AccessLog();

  // `received` and `sent`: bytes of bodies.
  void write(const Request& request, int status, uint64_t received, uint64_t sent, double seconds);
  void flush();
  // After the file was moved away: goes on in a new one. An error changes nothing.
  Status reopen();

 private:
  AccessLog(std::string path, int file) : path_(std::move(path)), writes_(file >= 0), file_(file) {}
  void flushLocked();

  const std::string path_;  // Empty: not a file of ours.
  const bool writes_;
  std::mutex mutex_;
  int file_;  // -1: none.
  std::string gathered_;
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;                  // 0: a free one.
  CertificateFiles tls;               // Both empty: no TLS.
  std::chrono::seconds lookTime{60};  // Between looks whether those files changed.
  int ioThreads = 0;                  // 0: one for each core.
  int workers = 4;
  int pushers = 64;  // Batches of contents and records that wait for a commit together.
  // Streamed responses at once; further ones wait, and clients that ask get equally many
  // (archive/service/stream_turns.h). One token has three quarters of them at most, which is more
  // than a client transfers at once by default (NetworkOptions).
  int streams = 24;
  int provers = 2;                     // Proofs that are computed at once; some more wait.
  int64_t connections = 1000;          // Open at once.
  std::chrono::seconds headTime{10};   // From the first byte of a request to the end of its head.
  std::chrono::seconds idleTime{75};   // Between requests.
  std::chrono::seconds graceTime{30};  // Before a body or a response has to keep its rate.
  uint64_t bytesPerSecond = 1024;      // The slowest body or response.
  std::chrono::seconds stopTime{20};   // For requests under way at the end.
  // Takes what the operator has to know, a line each. Any thread.
  std::function<void(const std::string&)> report = [](const std::string&) {};
};

class Server {
 public:
  // Listens and serves once it returns. Both must outlive the server.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options,
                                               Application& application, AccessLog& log);
  // Stops at once where stop() was not called.
  ~Server();

  // "http://127.0.0.1:45127"; an IPv6 address in brackets.
  const std::string& url() const;
  uint16_t port() const;

  // Opens the access log's file anew and takes the certificate that its files hold
  // now; the latter also happens by itself. A failure is reported and changes nothing.
  void reload();

  // Does now what the server does by itself twice a second: ends what has waited
  // for too long and does the chores that are due. Returns when they are done.
  void look();

  // Accepts nothing new, lets requests that have begun end, closes the rest when
  // stopTime is over. Returns when everything has ended.
  void stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace vintage::archive

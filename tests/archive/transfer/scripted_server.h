// An HTTP server that does exactly what a test tells it to, also what no
// server should: hang up midway, send other bytes than it announces, go silent.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/archive/store/waiting.h"

namespace vintage::tests::transfer {

// Listens on a free port of 127.0.0.1.
inline int listenAnywhere(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address));
  socklen_t length = sizeof(address);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  ::listen(listener, 64);
  port = ntohs(address.sin_port);
  return listener;
}

// More bytes into `buffer`; false at the end, or when the test is over.
inline bool receiveMore(int socket, std::string& buffer, const waiting::Stop& stopping) {
  pollfd entries[] = {{socket, POLLIN, 0}, {stopping.number(), POLLIN, 0}};
  if (::poll(entries, 2, -1) < 0 || stopping) return false;
  char bytes[65536];
  const ssize_t count = ::recv(socket, bytes, sizeof(bytes), 0);
  if (count <= 0) return false;
  buffer.append(bytes, static_cast<size_t>(count));
  return true;
}

struct ScriptedRequest {
  std::string method, target;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

// A request's or an answer's head; of an answer `target` begins with the status.
inline ScriptedRequest parseScriptedHead(const std::string& head) {
  ScriptedRequest request;
  size_t at = head.find("\r\n");
  const std::string line = head.substr(0, at);
  const size_t first = line.find(' '), last = line.rfind(' ');
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, last - first - 1);
  while (at != std::string::npos) {
    const size_t next = head.find("\r\n", at + 2);
    const std::string header =
        head.substr(at + 2, next == std::string::npos ? next : next - at - 2);
    const size_t colon = header.find(": ");
    std::string name = header.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    if (colon != std::string::npos) request.headers[name] = header.substr(colon + 2);
    at = next;
  }
  return request;
}

struct ScriptedReply {
  int status = 200;
  std::vector<std::string> headers = {};
  std::string body = {};
  // Of the body: so much is sent before the connection is cut; -1: all, and it is kept.
  long cutAfter = -1;
  // Announced instead of the body's size.
  long contentLength = -1;
  bool hangUp = false;    // Without a word.
  bool goSilent = false;  // Until the client leaves.
};

class ScriptedServer {
 public:
  using Handler = std::function<ScriptedReply(const ScriptedRequest&)>;
  explicit ScriptedServer(Handler handler)
      : handler_(std::move(handler)),
        listener_(listenAnywhere(port_)),
        acceptor_([this] { accept(); }) {}
  ~ScriptedServer() {
    stopping_.now();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int connections() const { return connections_; }
  // Waits until the requests of clients that left are over: a client that gives up leaves
  // some that are read and answered only then.
  void waitForClientsThatLeft() {
    // Connections are accepted in turn: where this one is, all of those are.
    const int own = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    socklen_t length = sizeof(address);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    ::connect(own, reinterpret_cast<sockaddr*>(&address), length);
    ::shutdown(own, SHUT_WR);
    char none;
    ::recv(own, &none, 1, 0);
    ::close(own);
    std::unique_lock lock(mutex_);
    noneOpen_.wait(lock, [&] { return open_ == 0; });
  }
  std::vector<ScriptedRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept() {
    while (!stopping_) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      ++connections_;
      changeOpen(1);
      threads_.emplace_back([this, socket] {
        serve(socket);
        ::close(socket);
        changeOpen(-1);
      });
    }
  }

  void changeOpen(int by) {
    const std::lock_guard lock(mutex_);
    open_ += by;
    noneOpen_.notify_all();
  }
  bool receive(int socket, std::string& buffer) { return receiveMore(socket, buffer, stopping_); }

  void serve(int socket) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    std::string buffer;
    while (true) {
      size_t end;
      while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
        if (!receive(socket, buffer)) return;
      ScriptedRequest request = parseScriptedHead(buffer.substr(0, end));
      buffer.erase(0, end + 4);
      size_t length = 0;
      const std::string stated = request.header("content-length");
      std::from_chars(stated.data(), stated.data() + stated.size(), length);
      if (request.header("expect") == "100-continue")
        write(socket, "HTTP/1.1 100 Continue\r\n\r\n");
      while (buffer.size() < length)
        if (!receive(socket, buffer)) return;
      request.body = buffer.substr(0, length);
      buffer.erase(0, length);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      if (!answer(socket, request, handler_(request))) return;
    }
  }

  bool answer(int socket, const ScriptedRequest& request, const ScriptedReply& reply) {
    if (reply.hangUp) return false;
    const size_t length =
        reply.contentLength >= 0 ? static_cast<size_t>(reply.contentLength) : reply.body.size();
    std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\n";
    for (const std::string& header : reply.headers) text += header + "\r\n";
    text += "Content-Length: " + std::to_string(length) + "\r\n\r\n";
    if (request.method != "HEAD")
      text += reply.cutAfter < 0 ? reply.body
                                 : reply.body.substr(0, static_cast<size_t>(reply.cutAfter));
    write(socket, text);
    std::string ignored;
    while (reply.goSilent && receive(socket, ignored)) {
    }
    return reply.cutAfter < 0 && !reply.goSilent;
  }

  static void write(int socket, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;
      text.remove_prefix(static_cast<size_t>(count));
    }
  }

  Handler handler_;
  int port_ = 0;
  int listener_;
  waiting::Stop stopping_;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  int open_ = 0;
  std::condition_variable noneOpen_;
  std::vector<ScriptedRequest> requests_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace vintage::tests::transfer

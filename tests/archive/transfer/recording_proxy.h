// Stands between clients and a real server, one request at a time on each
// connection, and tells of every answer that the server gave: what it has
// acknowledged, whether or not the client lived to hear it.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests::transfer {

class RecordingProxy {
 public:
  // Called with one answer at a time, before the client gets it.
  using Observer = std::function<void(const ScriptedRequest&, int status, const std::string& body)>;

  explicit RecordingProxy(Observer observe)
      : observe_(std::move(observe)),
        listener_(listenAnywhere(port_)),
        acceptor_([this] { accept(); }) {}
  ~RecordingProxy() {
    stopping_.now();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }
  RecordingProxy(const RecordingProxy&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  // Where the server is from now on; 0: nowhere.
  void lead(int serverPort) { serverPort_ = serverPort; }
  // Requests that have arrived here since the beginning.
  int requests() const { return requests_; }

 private:
  class Socket {
   public:
    explicit Socket(int socket) : socket_(socket) {}
    ~Socket() {
      if (socket_ >= 0) ::close(socket_);
    }
    Socket(const Socket&) = delete;
    int number() const { return socket_; }

   private:
    int socket_;
  };

  void accept() {
    while (!stopping_) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      threads_.emplace_back([this, client] {
        const Socket owned(client);
        serve(client);
      });
    }
  }

  void serve(int client) {
    const Socket server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(serverPort_));
    if (serverPort_ == 0 ||
        ::connect(server.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
      return;
    const int yes = 1;
    for (const int socket : {client, server.number()})
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    std::string fromClient, fromServer;
    while (exchange(client, fromClient, server.number(), fromServer)) {
    }
  }

  // One request and its answer; false where either side is gone.
  bool exchange(int client, std::string& fromClient, int server, std::string& fromServer) {
    std::string head;
    if (!takeHead(client, fromClient, head)) return false;
    ScriptedRequest request = parseScriptedHead(head);
    ++requests_;
    if (!takeBytes(client, fromClient, lengthIn(request), request.body)) return false;
    if (!send(server, head + request.body)) return false;
    std::string answerHead, body;
    if (!takeHead(server, fromServer, answerHead)) return false;
    const ScriptedRequest answer = parseScriptedHead(answerHead);
    const int status = std::atoi(answer.target.c_str());  // "HTTP/1.1 200 OK"
    const bool chunked = answer.header("transfer-encoding") == "chunked";
    if (chunked) {  // Of lines of JSON, which hold no carriage return.
      while (!fromServer.ends_with("0\r\n\r\n"))
        if (!receive(server, fromServer)) return false;
      body = std::exchange(fromServer, {});
    } else if (request.method != "HEAD" && status != 204 && status != 304 &&
               !takeBytes(server, fromServer, lengthIn(answer), body)) {
      return false;
    }
    {
      const std::lock_guard lock(mutex_);
      observe_(request, status, body);
    }
    return send(client, answerHead + body) && answer.header("connection") != "close";
  }

  static size_t lengthIn(const ScriptedRequest& message) {
    return static_cast<size_t>(std::atoll(message.header("content-length").c_str()));
  }
  // With the empty line that ends it.
  bool takeHead(int socket, std::string& buffer, std::string& head) {
    size_t end;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
      if (!receive(socket, buffer)) return false;
    head = buffer.substr(0, end + 4);
    buffer.erase(0, end + 4);
    return true;
  }
  bool takeBytes(int socket, std::string& buffer, size_t count, std::string& bytes) {
    while (buffer.size() < count)
      if (!receive(socket, buffer)) return false;
    bytes = buffer.substr(0, count);
    buffer.erase(0, count);
    return true;
  }
  bool receive(int socket, std::string& buffer) { return receiveMore(socket, buffer, stopping_); }
  static bool send(int socket, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  Observer observe_;
  std::mutex mutex_;
  std::atomic<int> serverPort_{0}, requests_{0};
  int port_ = 0;
  int listener_;
  waiting::Stop stopping_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace vintage::tests::transfer

// Stands between a client and a real server and cuts their connections after
// random numbers of bytes, in either direction.
#pragma once

#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/child_process.h"
#include "tests/archive/transfer/scripted_server.h"

namespace vintage::tests::transfer {

class CuttingProxy {
 public:
  // Each connection lives for 0 to 2 * `meanBytes`; 0: it is never cut.
  CuttingProxy(int serverPort, uint64_t meanBytes, uint64_t seed)
      : serverPort_(serverPort),
        meanBytes_(meanBytes),
        random_(seed),
        listener_(listenAnywhere(port_)),
        acceptor_([this] { accept(); }) {}
  ~CuttingProxy() {
    stopping_.now();
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    for (std::thread& thread : threads_) thread.join();
    ::close(listener_);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  int cuts() const { return cuts_; }
  uint64_t bytesToServer() const { return toServer_.value(); }
  uint64_t bytesToClient() const { return toClient_.value(); }
  // Or until the process has ended.
  void waitForBytesToServer(uint64_t bytes, const ChildProcess& process) {
    toServer_.waitFor(bytes, {process.id()});
  }
  void waitForBytesToClient(uint64_t bytes, const ChildProcess& process) {
    toClient_.waitFor(bytes, {process.id()});
  }

 private:
  void accept() {
    while (!stopping_) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      const uint64_t limit =
          meanBytes_ == 0 ? UINT64_MAX
                          : std::uniform_int_distribution<uint64_t>(0, 2 * meanBytes_)(random_);
      threads_.emplace_back([this, client, limit] {
        const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<uint16_t>(serverPort_));
        if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0)
          forward(client, server, limit);
        ::close(server);
        ::close(client);
      });
    }
  }

  void forward(int client, int server, uint64_t limit) {
    const int yes = 1;
    for (const int socket : {client, server})
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    uint64_t moved = 0;
    std::vector<char> buffer(16384);
    while (!stopping_) {
      pollfd entries[] = {
          {client, POLLIN, 0}, {server, POLLIN, 0}, {stopping_.number(), POLLIN, 0}};
      if (::poll(entries, 3, -1) <= 0) continue;
      for (int side = 0; side < 2; ++side) {
        if ((entries[side].revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
        ssize_t count = ::recv(entries[side].fd, buffer.data(), buffer.size(), 0);
        if (count <= 0) return;
        const bool cut = moved + static_cast<uint64_t>(count) > limit;
        if (cut) count = static_cast<ssize_t>(limit - moved);
        moved += static_cast<uint64_t>(count);
        (side == 0 ? toServer_ : toClient_).add(static_cast<uint64_t>(count));
        for (ssize_t at = 0; at < count;) {
          const ssize_t sent = ::send(entries[1 - side].fd, buffer.data() + at,
                                      static_cast<size_t>(count - at), MSG_NOSIGNAL);
          if (sent <= 0) return;
          at += sent;
        }
        if (!cut) continue;
        ++cuts_;
        return;
      }
    }
  }

  int serverPort_;
  uint64_t meanBytes_;
  std::mt19937_64 random_;
  int port_ = 0;
  int listener_;
  waiting::Stop stopping_;
  std::atomic<int> cuts_{0};
  tests::waiting::Progress toServer_, toClient_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace vintage::tests::transfer

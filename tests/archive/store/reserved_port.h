// A port of this machine that nobody else gets.
#pragma once

#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vintage::tests::waiting {

// Bound and never listened at: connections are refused, unless a server that sets SO_REUSEADDR, as
// all do here, listens there too. It may come and go.
class ReservedPort {
 public:
  ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int yes = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    socklen_t length = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    number_ = ntohs(address.sin_port);
  }
  ~ReservedPort() { ::close(socket_); }
  ReservedPort(const ReservedPort&) = delete;

  int number() const { return number_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(number_); }
  std::string url() const { return "http://" + address(); }

 private:
  int socket_, number_ = 0;
};

}  // namespace vintage::tests::waiting

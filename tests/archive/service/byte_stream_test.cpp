#include "archive/service/byte_stream.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace vintage::tests::service {
using namespace archive;

namespace {

using asio::ip::tcp;

// A writer and a client that reads nothing.
class UnreadBytes : public testing::Test {
 protected:
  UnreadBytes() : bytes_(Socket(context_), nullptr), client_(context_) {
    asio::basic_socket_acceptor<tcp, Executor> acceptor(
        context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    client_.connect(acceptor.local_endpoint());
    acceptor.accept(bytes_.socket());
    asio::co_spawn(context_, write(), asio::detached);
  }

  asio::io_context context_{1};
  ByteStream bytes_;
  Socket client_;
  std::optional<bool> whole_;  // None as long as it is being written.

 private:
  Awaitable<void> write() { whole_ = co_await bytes_.writeAll(asio::buffer(text_)); }

  const std::string text_ = std::string(size_t{64} << 20, 'x');  // More than any buffer takes.
};

TEST_F(UnreadBytes, AWriteThatWaitsEnds) {
  context_.poll();
  EXPECT_FALSE(whole_);
  bytes_.stopWriting();
  context_.poll();
  EXPECT_EQ(whole_, false);
}

// A stream that had lost its turn to another token was cancelled. Between two parts of a write
// there is nothing to cancel: it went on, its thread waited for the slow reader as before, and the
// other token's stream waited for a thread.
TEST_F(UnreadBytes, AWriteBetweenTwoPartsEnds) {
  // Comes after the first part, which the kernel takes at once, and before the second.
  asio::post(context_, [this] { bytes_.stopWriting(); });
  context_.poll();
  EXPECT_EQ(whole_, false);
}

}  // namespace
}  // namespace vintage::tests::service

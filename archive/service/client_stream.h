// The bytes of one client, and how long it may take for them: the loop cuts who is slower. What one
// request received and sent is counted here.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "archive/service/byte_stream.h"
#include "archive/service/event_loop.h"
#include "archive/service/tls_context.h"

namespace vintage::archive {

// Used on the loop's thread only.
template <typename Stream>
class ClientStream : public LoopMember {
 public:
  const TlsContext::Context tls;  // The stream uses it to its end.
  ByteStream<Stream> bytes;
  EventLoop& loop;
  ServerShared& shared;
  std::string peer;
  uint64_t received = 0, sent = 0;  // Of bodies.

  ClientStream(Stream stream, TlsContext::Context context, EventLoop& loop, ServerShared& shared)
      : tls(std::move(context)), bytes(std::move(stream)), loop(loop), shared(shared) {
    boost::system::error_code ignored;
    peer = endpointText(bytes.socket().remote_endpoint(ignored));
    bytes.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  void cut() override {
    boost::system::error_code ignored;
    // Ends what waits; the coroutine may still answer why.
    bytes.socket().cancel(ignored);
    if (loop.stopping) bytes.socket().close(ignored);
  }

  // The client has so long for what comes next.
  void expect(std::chrono::nanoseconds time) {
    deadline = now() + std::chrono::duration_cast<Steady::duration>(time);
    timedOut = false;
  }
  // The client waits for us.
  void expectNothing() { deadline = Steady::time_point::max(); }
  // A body or a response of so many bytes may take so long.
  std::chrono::nanoseconds patience(uint64_t size) const {
    const double rate = static_cast<double>(std::max<uint64_t>(1, shared.options.bytesPerSecond));
    return shared.options.graceTime +
           std::chrono::nanoseconds(static_cast<int64_t>(static_cast<double>(size) / rate * 1e9));
  }

  // Of a request.
  void begin() {
    began_ = now();
    received = sent = 0;
  }
  Steady::duration sinceBegin() const { return now() - began_; }

 private:
  Steady::time_point now() const { return shared.application.clock().steady(); }

  Steady::time_point began_;
};

}  // namespace vintage::archive

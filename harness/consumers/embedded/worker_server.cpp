#include "harness/consumers/embedded/worker_server.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

namespace vintage::harness::consumers::embedded {
namespace {

Status writeAll(int output, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(output, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return failure(Error::Kind::kIo,
                     fmt::format("cannot write the reply: {}", strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(const ExecuteRequest&)>& execute,
                   const std::function<DescriptionMessage()>& describe) {
  HelloMessage greeting = hello;
  if (describe) greeting.requests.push_back("describe");
  RETURN_IF_ERROR(writeAll(output, encodeFrame(toFrame(greeting))));
  FrameReader reader;
  std::array<std::byte, size_t{1} << 16> chunk;
  for (;;) {
    ASSIGN_OR_RETURN(auto frame, reader.next());
    if (frame) {
      if (describe && messageType(*frame) == "describe") {
        RETURN_IF_ERROR(writeAll(output, encodeFrame(toFrame(describe()))));
        continue;
      }
      ASSIGN_OR_RETURN(auto request, requestFromFrame(std::move(*frame)));
      const ExecuteReply reply = execute(request);
      RETURN_IF_ERROR(writeAll(output, encodeFrame(toFrame(reply))));
      continue;
    }
    const ssize_t count = ::read(input, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return failure(Error::Kind::kIo,
                     fmt::format("cannot read a request: {}", strerror(errno)));
    if (count == 0) {
      if (reader.pendingBytes() == 0) return {};
      return failure(Error::Kind::kBadInput, "the input ends in the middle of a request");
    }
    reader.append({chunk.data(), static_cast<size_t>(count)});
  }
}

}  // namespace vintage::harness::consumers::embedded

#include "harness/consumers/worker_server.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/consumers/large_frames.h"

namespace vintage::harness::consumers {
namespace {

Status writeAll(int output, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(output, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      return failure(Error::Kind::kIo, fmt::format("cannot write the reply: {}", strerror(errno)));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

// `answer` gives the bytes of the answer's frame.
template <typename Answer>
Status serve(int input, int output, const Answer& answer) {
  FrameInput frames(input);
  for (;;) {
    ASSIGN_OR_RETURN(auto frame, frames.next());
    if (!frame) return {};
    ASSIGN_OR_RETURN(const auto answered, answer(std::move(*frame)));
    RETURN_IF_ERROR(writeAll(output, answered));
  }
}

}  // namespace

Status serveFrames(int input, int output, const std::function<Result<Frame>(Frame)>& answer) {
  return serve(input, output, [&](Frame frame) -> Result<std::vector<std::byte>> {
    ASSIGN_OR_RETURN(auto answered, answer(std::move(frame)));
    return encodeFrame(std::move(answered));
  });
}

Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(ExecuteRequest)>& execute,
                   const std::function<DescriptionMessage()>& describe) {
  HelloMessage greeting = hello;
  if (describe) greeting.requests.push_back("describe");
  RETURN_IF_ERROR(writeAll(output, encodeFrame(toFrame(greeting))));
  return serve(input, output, [&](Frame frame) -> Result<std::vector<std::byte>> {
    if (describe && messageType(frame) == "describe") return encodeFrame(toFrame(describe()));
    ASSIGN_OR_RETURN(auto request, requestFromFrame(std::move(frame)));
    return encode(execute(std::move(request)));
  });
}

int takeStandardOutput() {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return output;
}

}  // namespace vintage::harness::consumers

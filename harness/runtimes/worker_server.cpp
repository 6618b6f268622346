#include "harness/runtimes/worker_server.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr int kNobodyReads = 3;

std::string outOfMemory() {
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return "out of memory";
  return fmt::format("out of memory: {:.3g} GiB of address space are the limit of --memory",
                     static_cast<double>(limit.rlim_cur) / double(size_t{1} << 30));
}

void refuse(ExecuteReply& reply, const Error& error) {
  reply.outcome =
      error.kind == Error::Kind::kUnsupported ? OutcomeKind::kUnsupported : OutcomeKind::kError;
  reply.detail = error.message;
  reply.outputs.clear();
}

}  // namespace

Status serveWorker(int input, int output, const HelloMessage& hello,
                   const std::function<ExecuteReply(ExecuteRequest)>& execute,
                   const std::function<RuntimeDescription()>& describe) {
  HelloMessage greeting = hello;
  if (describe) greeting.requests.push_back("describe");
  RETURN_IF_ERROR(say(greeting, output));
  return eachFrame(input, [&](Frame frame) -> Status {
    if (describe && messageType(frame) == "describe") return say(describe(), output);
    ASSIGN_OR_RETURN(auto request, requestFromFrame(std::move(frame)));
    return say(execute(std::move(request)), output);
  });
}

ExecuteReply replyOf(const ExecuteRequest& request,
                     const std::function<Status(ExecuteReply& reply)>& work) {
  ExecuteReply reply;
  reply.id = request.id;
  reply.stage = Stage::kLoad;
  try {
    if (Status status = work(reply); !status) refuse(reply, status.error());
  } catch (const std::bad_alloc&) {
    refuse(reply, {Error::Kind::kResource, outOfMemory()});
  } catch (const std::exception& exception) {
    refuse(reply, {Error::Kind::kResource, fmt::format("a library threw: {}", exception.what())});
  }
  return reply;
}

Status eachFrame(int input, const std::function<Status(Frame)>& take) {
  FrameReader reader;
  std::array<std::byte, size_t{1} << 16> chunk;
  for (;;) {
    for (;;) {
      ASSIGN_OR_RETURN(auto frame, reader.next());
      if (!frame) break;
      RETURN_IF_ERROR(take(std::move(*frame)));
    }
    const ssize_t count = ::read(input, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ioError("cannot read a request: {}", strerror(errno));
    if (count > 0)
      reader.append(std::span(chunk).first(static_cast<size_t>(count)));
    else if (reader.isBetweenFrames())
      return {};
    else
      return badInput("the input ends in the middle of a request");
  }
}

Status writeFrames(FrameWriter& frames, int output) {
  while (!frames.empty()) {
    const auto bytes = frames.next();
    const ssize_t written = ::write(output, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ioError("cannot write the reply: {}", strerror(errno));
    frames.advance(static_cast<size_t>(written));
  }
  return {};
}

int takeStandardOutput() {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  // The end of the parent closes the pipe, also where a shell stands between the two.
  std::thread([output] {
    pollfd reader{output, 0, 0};
    while (::poll(&reader, 1, -1) < 0 && errno == EINTR) {
    }
    ::_exit(kNobodyReads);
  }).detach();
  return output;
}

}  // namespace vintage::harness

#include "golden/base/isolate.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden/base/child_process.h"
#include "golden/base/failures.h"

namespace vintage::golden::base {
namespace {

constexpr char kValue = 'v';
constexpr char kErrorBase = 'A';  // Plus the kind.

[[noreturn]] void runChild(int output, const std::function<Result<std::string>()>& work,
                           const IsolationLimits& limits) {
  limitChild(limits);

  Result<std::string> result = noResource("the reader returned nothing");
  try {
    result = work();
  } catch (const std::bad_alloc&) {
    result = noResource("reading it takes more memory than is allowed");
  } catch (const std::exception& exception) {
    result = failure(Error::Kind::kBadInput, exception.what());
  }
  const std::string message =
      result ? kValue + *result
             : static_cast<char>(kErrorBase + static_cast<int>(result.error().kind)) +
                   result.error().message;
  writeOrEnd(output, message.data(), message.size());
  ::_exit(0);
}

// Everything until the child closes the pipe; false when time is up.
bool readUntilEnd(int input, std::chrono::steady_clock::time_point deadline, std::string& text) {
  std::array<char, size_t{1} << 16> chunk;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd polled{input, POLLIN, 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t count = ::read(input, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(chunk.data(), static_cast<size_t>(count));
  }
}

}  // namespace

Result<std::string> runIsolated(const std::string& name,
                                const std::function<Result<std::string>()>& work,
                                const IsolationLimits& limits) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return ioError("no pipe to a child: {}", strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return noResource("no child process: {}", strerror(errno));
  }
  if (child == 0) {
    ::close(ends[0]);
    runChild(ends[1], work, limits);
  }
  ::close(ends[1]);
  std::string message;
  const bool inTime =
      readUntilEnd(ends[0], std::chrono::steady_clock::now() + limits.time, message);
  ::close(ends[0]);
  if (!inTime) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!inTime)
    return badInput("{}: reading it takes more than {} s; it is damaged or hostile", name,
                    limits.time.count());
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message.empty()) {
    const std::string how = WIFSIGNALED(status)
                                ? fmt::format("signal {} ({})", WTERMSIG(status),
                                              strsignal(WTERMSIG(status)))
                                : fmt::format("status {}", WEXITSTATUS(status));
    return badInput(
        "{}: reading it crashed the reader ({}); the file is damaged, hostile, or shows a bug of "
        "the reader",
        name, how);
  }
  if (message.front() == kValue) return message.substr(1);
  return failure(static_cast<Error::Kind>(message.front() - kErrorBase), message.substr(1));
}

}  // namespace vintage::golden::base

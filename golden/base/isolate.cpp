#include "golden/base/isolate.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage {
namespace {

// In the child: limits memory, leaves no core file, and closes standard error,
// where a library's last words (a stack trace of the child) would only confuse.
void limitChild(const IsolationLimits& limits) {
  const rlimit memory{limits.memoryBytes, limits.memoryBytes};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit noCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

// In the child: writes all of it; ends the process where nobody reads any more.
void writeOrEnd(int output, const void* data, size_t size) {
  const char* place = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(output, place, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(1);
    place += written;
    size -= static_cast<size_t>(written);
  }
}

// How it ended; waits until it has.
int statusOf(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

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

using Clock = std::chrono::steady_clock;

// A child says which piece it begins, and then what came of it.
struct Note {
  uint64_t index;
  uint64_t bytes;  // Bytes of the text that follows; kBegins: it begins the piece.
};
constexpr uint64_t kBegins = ~uint64_t{0};

// The next piece, shared by all children.
class SharedCounter {
 public:
  SharedCounter() {
    void* memory = ::mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) counter_ = new (memory) std::atomic<uint64_t>(0);
  }
  ~SharedCounter() {
    if (counter_) ::munmap(counter_, sizeof *counter_);
  }
  SharedCounter(const SharedCounter&) = delete;
  explicit operator bool() const { return counter_; }
  size_t take() { return counter_->fetch_add(1); }

 private:
  std::atomic<uint64_t>* counter_ = nullptr;
};

[[noreturn]] void runChild(int output, size_t count, SharedCounter& next,
                           const IsolationLimits& limits,
                           const std::function<std::string(size_t)>& work) {
  limitChild(limits);
  for (size_t index = next.take(); index < count; index = next.take()) {
    const Note begins{index, kBegins};
    writeOrEnd(output, &begins, sizeof begins);
    std::string text;
    try {
      text = work(index);
    } catch (const std::exception&) {
      ::_exit(2);
    }
    const Note ends{index, text.size()};
    writeOrEnd(output, &ends, sizeof ends);
    writeOrEnd(output, text.data(), text.size());
  }
  ::_exit(0);
}

struct Child {
  pid_t pid = 0;
  int input = -1;
  std::string buffer;
  std::optional<size_t> current;
  Clock::time_point since;
};

class Crew {
 public:
  Crew(size_t count, const IsolationLimits& limits, const std::function<std::string(size_t)>& work,
       const std::function<void(size_t, Result<std::string>)>& sink)
      : count_(count), limits_(limits), work_(work), sink_(sink) {}

  Status run(int jobs) {
    if (!next_) return noResource("no shared memory: {}", strerror(errno));
    Status status;
    for (int i = 0; i < std::max(1, jobs) && status; ++i) status = start();
    while (!children_.empty() && status) status = turn();
    for (Child& child : children_) {
      ::kill(child.pid, SIGKILL);
      reap(child);
    }
    return status;
  }

 private:
  Status start() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return noResource("no pipe: {}", strerror(errno));
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      runChild(ends[1], count_, next_, limits_, work_);
    }
    ::close(ends[1]);
    if (pid < 0) {
      ::close(ends[0]);
      return noResource("no child: {}", strerror(errno));
    }
    children_.push_back({pid, ends[0], {}, std::nullopt, Clock::now()});
    return {};
  }

  Status turn() {
    std::vector<pollfd> polled;
    for (const Child& child : children_) polled.push_back({child.input, POLLIN, 0});
    ::poll(polled.data(), polled.size(), 200);
    for (size_t i = children_.size(); i-- > 0;) {
      Child& child = children_[i];
      const bool ended = (polled[i].revents & (POLLIN | POLLHUP | POLLERR)) && !readFrom(child);
      const bool late = child.current && Clock::now() - child.since > limits_.time;
      if (!ended && !late) continue;
      if (late) ::kill(child.pid, SIGKILL);
      const int how = reap(child);
      const std::optional<size_t> lost = child.current;
      children_.erase(children_.begin() + static_cast<ptrdiff_t>(i));
      if (!lost) continue;  // It found no more work.
      sink_(*lost, failure(Error::Kind::kBadInput, describe(late, how)));
      RETURN_IF_ERROR(start());
    }
    return {};
  }

  std::string describe(bool late, int how) const {
    if (late) return fmt::format("it takes more than {} s", limits_.time.count());
    if (WIFSIGNALED(how))
      return fmt::format("it crashed its process: signal {} ({})", WTERMSIG(how),
                         strsignal(WTERMSIG(how)));
    return "it ended its process, out of memory or by an exception of a library";
  }

  // False at the end of the pipe.
  bool readFrom(Child& child) {
    std::array<char, size_t{1} << 16> chunk;
    const ssize_t got = ::read(child.input, chunk.data(), chunk.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    child.buffer.append(chunk.data(), static_cast<size_t>(got));
    size_t at = 0;
    while (child.buffer.size() - at >= sizeof(Note)) {
      Note note;
      std::memcpy(&note, child.buffer.data() + at, sizeof note);
      if (note.bytes == kBegins) {
        child.current = note.index;
        child.since = Clock::now();
        at += sizeof note;
        continue;
      }
      if (child.buffer.size() - at - sizeof note < note.bytes) break;
      child.current.reset();
      sink_(note.index, child.buffer.substr(at + sizeof note, note.bytes));
      at += sizeof note + note.bytes;
    }
    child.buffer.erase(0, at);
    return true;
  }

  static int reap(Child& child) {
    ::close(child.input);
    return statusOf(child.pid);
  }

  size_t count_;
  const IsolationLimits& limits_;
  const std::function<std::string(size_t)>& work_;
  const std::function<void(size_t, Result<std::string>)>& sink_;
  SharedCounter next_;
  std::vector<Child> children_;
};

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
  const int status = statusOf(child);
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

Status runIsolatedMany(size_t count, int jobs, const IsolationLimits& limits,
                       const std::function<std::string(size_t)>& work,
                       const std::function<void(size_t, Result<std::string>)>& sink) {
  if (count == 0) return {};
  return Crew(count, limits, work, sink).run(jobs);
}

}  // namespace vintage

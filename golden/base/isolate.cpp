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
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage {
namespace {

// In the child: ends it with its parent, limits memory, leaves no core file, and closes standard
// error, where a library's last words (a stack trace of the child) would only confuse.
void limitChild(const IsolationLimits& limits, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const rlimit memory{limits.memoryBytes, limits.memoryBytes};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit noCore{0, 0};
  ::setrlimit(RLIMIT_CORE, &noCore);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
}

// In the child: writes all of it; ends the process if the pipe has no reader.
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

// The status of a child; waits until it has ended.
int statusOf(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

using Clock = std::chrono::steady_clock;

// A child reports which piece it begins, and then its result.
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

[[noreturn]] void runChild(pid_t parent, int output, size_t count, SharedCounter& next,
                           const IsolationLimits& limits,
                           const std::function<std::string(size_t)>& work) {
  limitChild(limits, parent);
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

// Why a child was lost: the time limit, or the status with which it ended.
struct Loss {
  bool late;
  int status;
};

class Crew {
 public:
  using Sink = std::function<void(size_t, tl::expected<std::string, Loss>)>;
  Crew(size_t count, const IsolationLimits& limits, const std::function<std::string(size_t)>& work,
       const Sink& sink)
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
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      runChild(parent, ends[1], count_, next_, limits_, work_);
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
      sink_(*lost, tl::unexpected(Loss{late, how}));
      RETURN_IF_ERROR(start());
    }
    return {};
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
  const Sink& sink_;
  SharedCounter next_;
  std::vector<Child> children_;
};

std::string describeSignal(int status) {
  return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

constexpr char kValue = 'v';
constexpr char kErrorBase = 'A';  // Plus the kind.

// A value or an error as one text.
std::string encoded(const std::function<Result<std::string>()>& work) {
  Result<std::string> result = noResource("the reader returned nothing");
  try {
    result = work();
  } catch (const std::bad_alloc&) {
    result = noResource("reading it takes more memory than is allowed");
  } catch (const std::exception& exception) {
    result = failure(Error::Kind::kBadInput, exception.what());
  }
  if (result) return kValue + *result;
  return static_cast<char>(kErrorBase + static_cast<int>(result.error().kind)) +
         result.error().message;
}

}  // namespace

Result<std::string> runIsolated(const std::string& name,
                                const std::function<Result<std::string>()>& work,
                                const IsolationLimits& limits) {
  tl::expected<std::string, Loss> answer = tl::unexpected(Loss{false, 0});
  const Crew::Sink keep = [&](size_t, tl::expected<std::string, Loss> one) {
    answer = std::move(one);
  };
  const std::function<std::string(size_t)> encode = [&](size_t) { return encoded(work); };
  RETURN_IF_ERROR(Crew(1, limits, encode, keep).run(1));
  if (!answer) {
    const auto [late, status] = answer.error();
    if (late)
      return badInput("{}: reading it takes more than {} s; it is damaged or hostile", name,
                      limits.time.count());
    return badInput(
        "{}: reading it crashed the reader ({}); the file is damaged, hostile, or shows a bug of "
        "the reader",
        name,
        WIFSIGNALED(status) ? describeSignal(status)
                            : fmt::format("status {}", WEXITSTATUS(status)));
  }
  const char kind = answer->front();
  answer->erase(0, 1);
  if (kind == kValue) return *std::move(answer);
  return failure(static_cast<Error::Kind>(kind - kErrorBase), *std::move(answer));
}

Status runIsolatedMany(size_t count, int jobs, const IsolationLimits& limits,
                       const std::function<std::string(size_t)>& work,
                       const std::function<void(size_t, Result<std::string>)>& sink) {
  if (count == 0) return {};
  const Crew::Sink explain = [&](size_t index, tl::expected<std::string, Loss> one) {
    if (one) return sink(index, *std::move(one));
    const auto [late, status] = one.error();
    if (late) return sink(index, badInput("it takes more than {} s", limits.time.count()));
    if (WIFSIGNALED(status))
      return sink(index, badInput("it crashed its process: {}", describeSignal(status)));
    sink(index, badInput("it ended its process, out of memory or by an exception of a library"));
  };
  return Crew(count, limits, work, explain).run(jobs);
}

}  // namespace vintage

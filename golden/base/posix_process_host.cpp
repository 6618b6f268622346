#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden/base/failures.h"
#include "golden/base/process_host.h"

namespace vintage {
namespace {

constexpr size_t kErrorTailBytes = size_t{16} << 10;
constexpr int kPipeBytes = 1 << 20;

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_;
};

struct Pipe {
  Descriptor readEnd, writeEnd;
  static Result<Pipe> make() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
      return ioError("no pipe to a worker: {}", strerror(errno));
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

void setNonBlocking(const Descriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

class PosixProcess final : public Process {
 public:
  PosixProcess(pid_t pid, Descriptor input, Descriptor output, Descriptor error)
      : pid_(pid), input_(std::move(input)), output_(std::move(output)), error_(std::move(error)) {
    for (const Descriptor* descriptor : {&input_, &output_, &error_}) setNonBlocking(*descriptor);
    // Larger pipes save turns between parent and worker; refusal is harmless.
    ::fcntl(input_.get(), F_SETPIPE_SZ, kPipeBytes);
    ::fcntl(output_.get(), F_SETPIPE_SZ, kPipeBytes);
  }
  ~PosixProcess() override {
    kill();
    input_.close();
    awaitEnd(0);
  }

  size_t write(std::span<const std::byte> bytes) override {
    if (!input_.open()) return 0;
    const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
    if (written >= 0) return static_cast<size_t>(written);
    if (errno != EAGAIN && errno != EINTR) input_.close();
    return 0;
  }

  std::vector<std::byte> read() override {
    std::vector<std::byte> bytes;
    if (!outputMayBeThere_) return bytes;
    drain(output_, [&](std::span<const std::byte> chunk) {
      bytes.insert(bytes.end(), chunk.begin(), chunk.end());
    });
    return bytes;
  }

  bool outputEnded() const override { return !output_.open(); }

  void kill() override {
    if (!end_) ::kill(-pid_, SIGKILL);
  }

  std::optional<ProcessEnd> end() override {
    awaitEnd(WNOHANG);
    return end_;
  }

  std::string errorTail() override {
    readError();
    return tail_;
  }

  void readError() {
    drain(error_, [&](std::span<const std::byte> chunk) {
      tail_.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
      if (tail_.size() > kErrorTailBytes) tail_.erase(0, tail_.size() - kErrorTailBytes);
    });
  }

  void addTo(std::vector<pollfd>& polled, bool wantsToWrite) const {
    if (output_.open()) polled.push_back({output_.get(), POLLIN, 0});
    if (error_.open()) polled.push_back({error_.get(), POLLIN, 0});
    if (wantsToWrite && input_.open()) polled.push_back({input_.get(), POLLOUT, 0});
  }
  // After poll(): reads standard error, and notes whether standard output is ready.
  void heed(std::span<const pollfd> polled) {
    outputMayBeThere_ = false;
    for (const pollfd& one : polled) {
      if (one.revents == 0) continue;
      outputMayBeThere_ |= one.fd == output_.get();
      if (one.fd == error_.get()) readError();
    }
  }

 private:
  // Ends what the program leaves behind too: as long as nobody has taken its status, its group has
  // its number.
  void awaitEnd(int flags) {
    if (end_) return;
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT | flags) != 0)
      if (errno != EINTR) return;
    if (ended.si_pid != pid_) return;
    ::kill(-pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    end_ = WIFSIGNALED(status) ? ProcessEnd{true, WTERMSIG(status)}
                               : ProcessEnd{false, WEXITSTATUS(status)};
  }

  template <typename Take>
  static void drain(Descriptor& descriptor, Take take) {
    std::array<std::byte, size_t{1} << 16> chunk;
    // Bounded, so that a worker that writes without end cannot block its parent.
    for (int round = 0; round < 64 && descriptor.open(); ++round) {
      const ssize_t count = ::read(descriptor.get(), chunk.data(), chunk.size());
      if (count > 0) {
        take({chunk.data(), static_cast<size_t>(count)});
        if (static_cast<size_t>(count) < chunk.size()) return;
        continue;
      }
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
      descriptor.close();
    }
  }

  pid_t pid_;
  Descriptor input_, output_, error_;
  bool outputMayBeThere_ = true;
  std::optional<ProcessEnd> end_;
  std::string tail_;
};

// Workers run side by side, one for each core: their libraries must not start threads of their own
// on top. Values that the caller has set are kept.
std::vector<std::string> workerEnvironment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
    if (!::getenv(name)) variables.push_back(fmt::format("{}=1", name));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// The settings of a child until its program begins.
struct Start {
  char** arguments;
  char** environment;
  std::array<int, 3> streams;  // Its standard input, output and error.
  size_t memoryLimitBytes;
  pid_t parent;
  sigset_t signals;  // Those that the parent does not take.
};

// In the child, which has its parent's memory: system calls and nothing else. The error that kept
// the program from starting comes back in `problem`.
[[noreturn]] void become(const Start& start, volatile int& problem) {
  // A group of its own: whoever ends it ends what it has started too.
  ::setpgid(0, 0);
  // The kernel ends it with its parent, whatever it executes then; with a parent that has ended
  // already too.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent) ::_exit(127);
  for (int stream = 0; stream < 3; ++stream) {
    const int from = start.streams[static_cast<size_t>(stream)];
    if (from == stream)
      ::fcntl(stream, F_SETFD, 0);
    else
      ::dup2(from, stream);
  }
  if (start.memoryLimitBytes > 0) {
    const rlimit limit{start.memoryLimitBytes, start.memoryLimitBytes};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  // No handler of the parent's may run here, and a broken pipe has its usual answer again.
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || (action.sa_handler == SIG_IGN && signal != SIGPIPE))
      continue;
    action = {};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
  }
  ::sigprocmask(SIG_SETMASK, &start.signals, nullptr);
  ::execvpe(start.arguments[0], start.arguments, start.environment);
  problem = errno;
  ::_exit(127);
}

class PosixProcessHost final : public ProcessHost {
 public:
  PosixProcessHost() {
    // write() reports a worker that dies meanwhile; no signal does.
    ::signal(SIGPIPE, SIG_IGN);
  }

  Result<std::unique_ptr<Process>> start(const ProcessOptions& options) override {
    if (options.command.empty()) return usageError("a worker needs a command to start it");
    auto input = Pipe::make(), output = Pipe::make(), error = Pipe::make();
    for (auto* pipe : {&input, &output, &error})
      if (!*pipe) return tl::unexpected<Error>(pipe->error());

    std::vector<std::string> arguments = options.command;
    std::vector<std::string> environment = workerEnvironment();
    const std::vector<char*> argumentPointers = pointers(arguments);
    const std::vector<char*> environmentPointers = pointers(environment);
    Start start{const_cast<char**>(argumentPointers.data()),
                const_cast<char**>(environmentPointers.data()),
                {input->readEnd.get(), output->writeEnd.get(), error->writeEnd.get()},
                options.memoryLimitBytes,
                ::getpid(),
                {}};
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &start.signals);
    volatile int problem = 0;
    // posix_spawn() has no way to ask for the parent's end. A fork would copy the tables of a large
    // process; this waits until the program has begun.
    const pid_t pid = ::vfork();
    if (pid == 0) become(start, problem);
    if (pid < 0) problem = errno;
    ::pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
    if (pid > 0 && problem != 0) ::waitpid(pid, nullptr, 0);
    if (problem != 0)
      return notFound("{}: cannot be started as a worker: {}", options.command.front(),
                      strerror(problem));
    return std::make_unique<PosixProcess>(pid, std::move(input->writeEnd),
                                          std::move(output->readEnd), std::move(error->readEnd));
  }

  void wait(std::span<const Interest> interests, Clock::time_point deadline) override {
    std::vector<pollfd> polled;
    for (const Interest& interest : interests)
      static_cast<PosixProcess*>(interest.process)->addTo(polled, interest.wantsToWrite);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
    // A process whose pipes are closed but that still runs is found by polling.
    const int64_t longest = polled.empty() ? 10 : 60'000;
    ::poll(polled.data(), polled.size(), static_cast<int>(std::clamp<int64_t>(left, 0, longest)));
    for (const Interest& interest : interests)
      static_cast<PosixProcess*>(interest.process)->heed(polled);
  }

  Clock::time_point now() override { return Clock::now(); }
};

}  // namespace

std::string ProcessEnd::describe() const {
  if (signalled) return fmt::format("was killed by signal {} ({})", code, strsignal(code));
  return fmt::format("exited with status {}", code);
}

std::unique_ptr<ProcessHost> makePosixProcessHost() { return std::make_unique<PosixProcessHost>(); }

Result<FinishedProgram> runProgram(const std::vector<std::string>& command, ProcessHost& host,
                                   const std::function<void(std::string_view)>& line) {
  ASSIGN_OR_RETURN(auto process, host.start({command, 0}));
  FinishedProgram finished;
  size_t reported = 0;
  for (;;) {
    const std::vector<std::byte> bytes = process->read();
    finished.out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (size_t end; line && (end = finished.out.find('\n', reported)) != std::string::npos;
         reported = end + 1)
      line(std::string_view(finished.out).substr(reported, end - reported));
    if (const auto end = process->end(); end && process->outputEnded()) {
      finished.status = end->signalled ? 128 + end->code : end->code;
      finished.errorTail = process->errorTail();
      return finished;
    }
    const ProcessHost::Interest interest{process.get(), false};
    host.wait({&interest, 1}, host.now() + std::chrono::milliseconds(200));
  }
}

}  // namespace vintage

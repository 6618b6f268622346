// A process that a test starts, and that never outlives it.
#pragma once

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vintage::tests::transfer {

class ChildProcess {
 public:
  ChildProcess() = default;
  // Standard output goes to `log`, errors too unless they have a file of their own.
  ChildProcess(const std::vector<std::string>& command, const std::string& log,
               const std::string& errorLog = "") {
    child_ = ::fork();
    if (child_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto open = [](const std::string& path) {
      return ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    };
    ::dup2(open(log), STDOUT_FILENO);
    ::dup2(errorLog.empty() ? STDOUT_FILENO : open(errorLog), STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& argument : command)
      arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~ChildProcess() { stop(SIGKILL); }
  ChildProcess(ChildProcess&& other) noexcept : child_(std::exchange(other.child_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    stop(SIGKILL);
    child_ = std::exchange(other.child_, -1);
    return *this;
  }

  pid_t id() const { return child_; }
  bool running() {
    if (child_ <= 0) return false;
    if (::waitpid(child_, &status_, WNOHANG) == 0) return true;
    child_ = -1;
    return false;
  }
  // The exit status, or 128 + signal.
  int wait() {
    if (child_ > 0) ::waitpid(child_, &status_, 0);
    child_ = -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }
  int stop(int signal) {
    if (child_ > 0) ::kill(child_, signal);
    return wait();
  }

 private:
  pid_t child_ = -1;
  int status_ = 0;
};

}  // namespace vintage::tests::transfer

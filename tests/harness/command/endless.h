// A program that never ends, and processes of a test counted by a mark in their environment.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include "tests/harness/command/artifacts.h"

namespace vintage::tests::command {

inline const std::string kEndlessText = R"(module @endless {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.while(%i = %arg0) : tensor<3xf32>
      cond {
        %c = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %s = stablehlo.add %i, %arg1 : tensor<3xf32>
        stablehlo.return %s : tensor<3xf32>
      }
    return %0 : tensor<3xf32>
  }
}
)";

// As conform takes it.
inline const std::string kEndlessCheck = R"(func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.while(%i = %a) : tensor<3xf32>
    cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = stablehlo.add %i, %a : tensor<3xf32>
      stablehlo.return %s : tensor<3xf32>
    }
  check.expect_eq_const %0, dense<1.0> : tensor<3xf32>
  return
}
)";

// Every process that the marked one has started has its mark, whoever became its parent.
class MarkedProcess {
 public:
  MarkedProcess(const Sandbox& sandbox, const std::vector<std::string>& arguments)
      : mark_("VINTAGE_TEST_MARK=" + sandbox.path("mark")) {
    std::vector<std::string> words{VINTAGE_BINARY "/bin/vintage"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const std::string out = sandbox.path("marked_out");
    process_ = ::fork();
    if (process_ != 0) return;
    ::setpgid(0, 0);
    ::putenv(mark_.data());
    const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  ~MarkedProcess() {
    for (const pid_t process : marked()) ::kill(process, SIGKILL);
    if (process_ > 0) ::waitpid(process_, nullptr, 0);
  }
  MarkedProcess(const MarkedProcess&) = delete;

  // Itself and what runs because of it; what has ended and is nobody's yet does not count.
  std::vector<pid_t> marked(const std::string& program = "") const {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string environment = Sandbox::read(entry.path() / "environ");
      if (environment.find(mark_) == std::string::npos) continue;
      if (Sandbox::read(entry.path() / "cmdline").find(program) == std::string::npos) continue;
      found.push_back(std::stoi(name));
    }
    return found;
  }
  // Waits until a process of `program`, other than `except`, has computed for a moment.
  bool computes(const std::string& program, const std::vector<pid_t>& except = {}) const {
    return waitFor([&] {
      for (const pid_t process : marked(program)) {
        if (std::find(except.begin(), except.end(), process) != except.end()) continue;
        const std::string stat = Sandbox::read("/proc/" + std::to_string(process) + "/stat");
        if (stat.empty()) continue;  // It ended since it was marked.
        std::istringstream fields(stat.substr(stat.rfind(')') + 2));
        std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
        if (words.size() > 11 && std::stol(words[11]) >= 20) return true;  // Ticks of 10 ms.
      }
      return false;
    });
  }
  bool nothingIsLeft() const {
    return waitFor([&] { return marked().empty(); });
  }
  void signal(int number, bool group = false) const {
    ::kill(group ? -process_ : process_, number);
  }
  // Its exit status, or 128 + the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  template <typename Condition>
  static bool waitFor(const Condition& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return true;
  }

  std::string mark_;
  pid_t process_ = -1;
};

}  // namespace vintage::tests::command

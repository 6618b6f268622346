// `vintage serve` as a process of its own.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/archive/transfer/child_process.h"
#include "tests/harness/command/run_vintage.h"
#include "tests/rooms.h"

namespace vintage::tests::transfer {

// The program that is tested: VINTAGE_PROGRAM, or the one beside the tests.
inline std::string programPath() {
  const char* chosen = std::getenv("VINTAGE_PROGRAM");
  return chosen != nullptr ? chosen : VINTAGE_BINARY "/bin/vintage";
}

class RealService {
 public:
  // Serves `archive`, made where there is none. `more` are further options.
  RealService(const tests::command::Sandbox& sandbox, std::string archive,
              std::vector<std::string> more = {"--anonymous", "admin"})
      : sandbox_(sandbox), archive_(std::move(archive)), more_(std::move(more)) {
    start("127.0.0.1:0");
  }

  // Empty where it did not start; log() tells why.
  const std::string& url() const { return url_; }
  int port() const { return std::stoi(url_.substr(url_.rfind(':') + 1)); }
  std::string log() const { return tests::command::Sandbox::read(logFile()); }
  int stop(int signal = SIGTERM) { return process_.stop(signal); }
  // After a stop, at the same place.
  void startAgain() { start("127.0.0.1:" + std::to_string(port())); }

 private:
  std::string logFile() const { return sandbox_.path("service.log"); }

  void start(const std::string& address) {
    std::filesystem::remove(logFile());
    std::vector<std::string> command{programPath(), "serve",  "--archive",    archive_, "--create",
                                     "--listen",    address, "--access-log", "none"};
    command.insert(command.end(), more_.begin(), more_.end());
    process_ = ChildProcess(command, logFile());
    constexpr std::string_view kSaid = "listening on ";
    for (int attempt = 0; attempt < 600; ++attempt) {
      const std::string said = log();
      const size_t at = said.find(kSaid), end = said.find('\n', at);
      if (at != std::string::npos && end != std::string::npos) {
        url_ = said.substr(at + kSaid.size(), end - at - kSaid.size());
        return;
      }
      if (!process_.running()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    url_.clear();
  }

  const tests::command::Sandbox& sandbox_;
  std::string archive_;
  std::vector<std::string> more_;
  ChildProcess process_;
  std::string url_;
};

}  // namespace vintage::tests::transfer

// `vintage serve` as a process of its own.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/archive/store/reserved_port.h"
#include "tests/archive/store/waiting.h"
#include "tests/archive/transfer/child_process.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::transfer {

// The program that is tested: VINTAGE_PROGRAM, or the one beside the tests.
inline std::string programPath() {
  const char* chosen = std::getenv("VINTAGE_PROGRAM");
  return chosen != nullptr ? chosen : VINTAGE_BINARY "/bin/vintage";
}

class RealService {
 public:
  // Serves `archive`, made where there is none, to clients with a token of the role admin, which
  // VINTAGE_TOKEN holds as long as this lives.
  RealService(const tests::command::Sandbox& sandbox, std::string archive)
      : RealService(sandbox, std::move(archive), {}) {
    makeToken();
  }
  // With further options and no token.
  RealService(const tests::command::Sandbox& sandbox, std::string archive,
              std::vector<std::string> more)
      : sandbox_(sandbox), archive_(std::move(archive)), more_(std::move(more)) {
    startAgain();
  }
  ~RealService() {
    if (!token_.empty()) ::unsetenv("VINTAGE_TOKEN");
  }
  RealService(const RealService&) = delete;

  void makeToken() {
    const tests::command::Finished made =
        sandbox_.run({"token", "add", "tests-" + std::to_string(port()), "--role", "admin",
                      "--archive", archive_});
    token_ = made.out.substr(0, made.out.find('\n'));
    ::setenv("VINTAGE_TOKEN", token_.c_str(), 1);
  }
  const std::string& token() const { return token_; }

  // Empty where it did not start; log() tells why.
  const std::string& url() const { return url_; }
  int port() const { return port_.number(); }
  std::string log() const { return tests::command::Sandbox::read(logFile()); }
  int stop(int signal = SIGTERM) { return process_.stop(signal); }
  const ChildProcess& process() const { return process_; }
  // After a stop, at the same place.
  void startAgain() {
    std::filesystem::remove(logFile());
    std::filesystem::create_directories(sandbox_.path(kLogs));
    tests::waiting::FolderWatch logs(sandbox_.path(kLogs));
    std::vector<std::string> command{programPath(),   "serve",        "--archive",
                                     archive_,        "--create",     "--listen",
                                     port_.address(), "--access-log", "none"};
    command.insert(command.end(), more_.begin(), more_.end());
    process_ = ChildProcess(command, logFile());
    logs.waitUntil([this] { return findUrl(); }, {process_.id()});
    // An archive that was made anew has none.
    if (!token_.empty() && !std::filesystem::exists(archive_ + "/service/tokens.json")) makeToken();
  }

 private:
  // By itself: a watch of the sandbox would see all that a test writes there.
  static constexpr const char* kLogs = "service logs";
  std::string logFile() const { return sandbox_.path(std::string(kLogs) + "/log"); }

  bool findUrl() {
    constexpr std::string_view kSaid = "listening on ";
    const std::string said = log();
    const size_t at = said.find(kSaid), end = said.find('\n', at);
    if (at == std::string::npos || end == std::string::npos) return false;
    url_ = said.substr(at + kSaid.size(), end - at - kSaid.size());
    return true;
  }

  const tests::command::Sandbox& sandbox_;
  std::string archive_;
  std::vector<std::string> more_;
  const tests::waiting::ReservedPort port_;
  ChildProcess process_;
  std::string url_, token_;
};

}  // namespace vintage::tests::transfer

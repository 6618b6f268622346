// The service in this process, by a clock that the test turns.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/service/server.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::service {

class LocalServer {
 public:
  explicit LocalServer(const std::string& archive, archive::ServerOptions options = {},
                       const archive::Limits& limits = {}, FileSystem* disk = nullptr) {
    archive::ApplicationOptions served;
    served.folder = archive;
    served.environment.clock = &clock_;
    served.environment.fileSystem = disk;
    served.limits = limits;
    application_ = must(archive::Application::open(served));
    log_ = must(archive::AccessLog::open(""));
    options.report = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      said_.push_back(text);
    };
    server_ = must(archive::Server::start(options, *application_, *log_));
    server_->look();  // Runs the chores that are due at the start.
  }

  const std::string& url() const { return server_->url(); }
  uint16_t port() const { return server_->port(); }
  // Turns the clock, and runs the chores that are due then.
  void turn(std::chrono::nanoseconds time) {
    clock_.turn(time);
    server_->look();
  }
  // The lines of the operator's log.
  std::vector<std::string> said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }

 private:
  // Certificates are good from now on, by the machine's clock.
  TurnedClock clock_{systemClock().now()};
  mutable std::mutex mutex_;
  std::vector<std::string> said_;
  std::unique_ptr<archive::Application> application_;
  std::unique_ptr<archive::AccessLog> log_;
  std::unique_ptr<archive::Server> server_;
};

}  // namespace vintage::tests::service

// The access log: one JSON object a line, gathered and written about once a
// second or when there is much of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "archive/service/exchange.h"
#include "golden/result.h"

namespace vintage::service {

struct AccessLine {
  const Request& request;
  std::string_view operation;  // Empty: the request fitted no route.
  int status;
  uint64_t received, sent;     // Bytes of bodies.
  double seconds;
};

// Any thread.
class AccessLog {
 public:
  // A file is appended to; "-": standard error; empty: nothing is written.
  static Result<std::unique_ptr<AccessLog>> open(const std::string& path);
  ~AccessLog();

  void write(const AccessLine& line);
  void flush();

 private:
  explicit AccessLog(int file, bool owned) : file_(file), owned_(owned) {}
  void flushLocked();

  const int file_;  // -1: none.
  const bool owned_;
  std::mutex mutex_;
  std::string gathered_;
};

}  // namespace vintage::service

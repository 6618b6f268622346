// The access log: one JSON object a line, gathered and written about once a
// second or when there is much of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "archive/service/exchange.h"
#include "golden/base/result.h"

namespace vintage::archive {

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
  // After the file was moved away: goes on in a new one. An error changes nothing.
  Status reopen();

 private:
  AccessLog(std::string path, int file) : path_(std::move(path)), writes_(file >= 0), file_(file) {}
  void flushLocked();

  const std::string path_;  // Empty: not a file of ours.
  const bool writes_;
  std::mutex mutex_;
  int file_;                // -1: none.
  std::string gathered_;
};

}  // namespace vintage::archive

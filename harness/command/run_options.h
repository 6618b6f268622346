// The options of the verbs that run artifacts.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/command/room.h"
#include "harness/replay/replay.h"

namespace vintage::harness::command {

class RunOptionsOfVerb {
 public:
  void addTo(CLI::App& app);
  // Today, or what --today says.
  Result<Date> today() const;
  bool todayGiven() const { return !today_.empty(); }
  // `archive` is the folder as it was typed.
  Result<ReplayOptions> replayOptions(const std::string& archive) const;

 private:
  int workers_ = 0;  // 0: one for each processor.
  double timeoutSeconds_ = 60;
  double memoryGibibytes_ = 8;
  std::string today_;
};

}  // namespace vintage::harness::command

// Runs a program to its end and gives back what it printed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct CommandResult {
  int status = 0;         // 128 + signal where it was killed, 124 after the time limit.
  std::string output;     // Standard output, up to 64 MiB.
  std::string errorTail;  // The last KiB of standard error.
};

// An error where it cannot be started. A time limit kills the program, and with
// it, where it is a shell, not always what that started.
Result<CommandResult> runCommand(const std::vector<std::string>& command,
                                 std::chrono::seconds timeLimit);

}  // namespace vintage::harness::bisect

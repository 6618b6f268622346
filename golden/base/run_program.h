// Runs a program to its end and takes what it prints.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

struct FinishedProgram {
  int status = 0;    // Exit status; 128 + the signal where it was killed.
  std::string out;   // Standard output.
  std::string errorTail;
};

// `line` is called for each line of standard output as it comes. kIo where the
// program cannot be started; its failure is a status.
Result<FinishedProgram> runProgram(const std::vector<std::string>& command, ProcessHost& host,
                                   const std::function<void(std::string_view)>& line = {});

}  // namespace vintage::golden::base

// Processes, pipes and the clock behind one small interface, so that slow,
// dying and talkative workers are ordinary tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"

namespace vintage {

struct ProcessOptions {
  std::vector<std::string> command;  // Program and arguments; no shell.
  size_t memoryLimitBytes = 0;       // Limit on address space; 0: none.
};

// How a process ended.
struct ProcessEnd {
  bool signalled = false;
  int code = 0;                  // Exit status, or the signal.
  std::string describe() const;  // "exited with status 3", "was killed by signal 9 (Killed)"
};

// A running program with pipes on its standard input, output and error. It is the head of a group
// of its own, and its end, by itself or by kill(), is the end of the group. It ends with the thread
// that started it. Destroying it kills the program and waits for its end.
class Process {
 public:
  virtual ~Process() = default;
  // Writes as much as fits without waiting and returns its size; 0 when the pipe is full or closed.
  virtual size_t write(std::span<const std::byte> bytes) = 0;
  // Bytes that arrived on standard output since the last call; may be empty.
  virtual std::vector<std::byte> read() = 0;
  // Standard output is closed and everything from it has been read.
  virtual bool outputEnded() const = 0;
  virtual void kill() = 0;
  // Set once the program has ended.
  virtual std::optional<ProcessEnd> end() = 0;
  // The last few KiB of standard error.
  virtual std::string errorTail() = 0;
};

class ProcessHost {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~ProcessHost() = default;
  virtual Result<std::unique_ptr<Process>> start(const ProcessOptions& options) = 0;
  struct Interest {
    Process* process;
    bool wantsToWrite;
  };
  // Returns when one of them has output or has ended, when one that wants to
  // write can, or at `deadline`.
  virtual void wait(std::span<const Interest> interests, Clock::time_point deadline) = 0;
  virtual Clock::time_point now() = 0;
};

// vfork, pipes and poll. Keeps at most 16 KiB of each standard error.
std::unique_ptr<ProcessHost> makePosixProcessHost();

struct FinishedProgram {
  int status = 0;   // Exit status; 128 + the signal where it was killed.
  std::string out;  // Standard output.
  std::string errorTail;
};

// Runs a program to its end. Calls `line` for each line of standard output as it
// comes. kIo where the program cannot start; its failure is a status.
Result<FinishedProgram> runProgram(const std::vector<std::string>& command, ProcessHost& host,
                                   const std::function<void(std::string_view)>& line = {});

}  // namespace vintage

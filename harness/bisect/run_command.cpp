#include "harness/bisect/run_command.h"

#include "golden/base/process_host.h"

namespace vintage::harness::bisect {
namespace {

constexpr size_t kMostOutput = size_t{64} << 20;
constexpr int kTimedOut = 124;

}  // namespace

Result<CommandResult> runCommand(const std::vector<std::string>& command,
                                 std::chrono::seconds timeLimit) {
  auto host = makePosixProcessHost();
  ProcessOptions options;
  options.command = command;
  ASSIGN_OR_RETURN(auto process, host->start(options));
  const auto deadline = host->now() + timeLimit;
  CommandResult result;
  const auto take = [&] {
    for (const std::byte byte : process->read())
      if (result.output.size() < kMostOutput) result.output += static_cast<char>(byte);
  };
  bool timedOut = false;
  while (!process->end()) {
    const ProcessHost::Interest interest{process.get(), false};
    host->wait({&interest, 1}, deadline);
    take();
    if (host->now() < deadline || timedOut) continue;
    timedOut = true;
    process->kill();
  }
  take();
  const ProcessEnd end = *process->end();
  result.status = timedOut ? kTimedOut : end.signalled ? 128 + end.code : end.code;
  result.errorTail = process->errorTail();
  return result;
}

}  // namespace vintage::harness::bisect

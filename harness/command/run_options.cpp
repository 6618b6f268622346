#include "harness/command/run_options.h"

#include <algorithm>
#include <thread>

#include "harness/command/filter_options.h"

namespace vintage::harness::command {

void RunOptionsOfVerb::addTo(CLI::App& app) {
  app.add_option("--workers", workers_, "Worker processes (default: one for each processor)")
      ->check(CLI::Range(1, 256));
  app.add_option("--timeout", timeoutSeconds_, "Seconds for one artifact")->capture_default_str()
      ->check(CLI::Range(0.001, 86400.0));
  app.add_option("--memory", memoryGibibytes_, "GiB of address space for one worker")
      ->capture_default_str()
      ->check(CLI::Range(0.5, 4096.0));
  app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
}

Result<Date> RunOptionsOfVerb::today() const {
  ASSIGN_OR_RETURN(auto date, parseDateOption(today_, "--today"));
  return date.value_or(currentDate());
}

Result<ReplayOptions> RunOptionsOfVerb::replayOptions(const std::string& archive) const {
  ReplayOptions options;
  options.archiveArgument = archive;
  options.workers =
      workers_ > 0 ? workers_
                   : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  options.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeoutSeconds_ * 1000));
  options.memoryLimitBytes = static_cast<size_t>(memoryGibibytes_ * double(size_t{1} << 30));
  return options;
}

}  // namespace vintage::harness::command

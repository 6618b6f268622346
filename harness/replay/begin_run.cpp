#include "harness/replay/begin_run.h"

#include <chrono>

#include <fmt/chrono.h>

namespace vintage::harness {
using namespace archive;

Result<std::string> beginRun(Archive& archive, const std::string& archiveArgument,
                             const std::string& kind, const std::string& commandLine, Date today,
                             std::span<const Limitation> limitations, RunSummary& summary) {
  RunRecord record;
  record.kind = kind;
  record.commandLine = commandLine;
  record.started = fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  auto id = archive.putRun(record, limitations);
  if (!id) return id;
  summary.run = *id;
  summary.kind = kind;
  summary.commandLine = commandLine;
  summary.archive = archiveArgument;
  summary.today = today;
  summary.started = record.started;
  return id;
}

}  // namespace vintage::harness

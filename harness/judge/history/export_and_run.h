// Has releases export named cases, and other releases run them: what shows a single claim.
#pragma once

#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/judge/history/run_history.h"
#include "harness/replay/replay.h"
#include "harness/runtimes/builds/environments.h"

namespace vintage::harness {

struct ExportAndRun {
  std::string exporter;                // "0.5.0"
  std::vector<std::string> consumers;  // Their versions.
  std::vector<std::string> cases;      // By name; docs/jax.md.
  int callingConvention = 0;           // In which they are exported; 0: the release's default.
};

// On warm and fresh workers of each consumer, as far as a promise covers the pair. What the
// archive knows already is not run again. `releases` says where environments are; which, is
// taken from `wanted`. What did not go well is returned as runHistory's is.
Result<std::vector<std::string>> exportAndRun(const std::vector<ExportAndRun>& wanted,
                                              EnvironmentRequest releases,
                                              archive::WindowPolicy policy, Date today,
                                              const ReplayOptions& replay,
                                              const std::string& commandLine,
                                              archive::Archive& archive, ProcessHost& host,
                                              const HistoryProgress& progress);

}  // namespace vintage::harness

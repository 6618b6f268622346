// Lets releases export artifacts and run each other's: all, or those that show a single claim. A
// call continues where an earlier one ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/replay/replay.h"
#include "harness/runtimes/builds/environments.h"

namespace vintage::harness {

struct HistoryRequest {
  EnvironmentRequest releases;
  std::string oneOfEach = "class";  // As ProduceRequest; the newest `whole` export all harnesses.
  int whole = 0;
  std::vector<std::string> cases{"all"}, filters;  // As ProduceRequest.
  bool fresh =
      true;  // Fresh processes run artifacts with targets, as far as a promise covers them.
  archive::WindowPolicy policy = archive::jaxPolicy();
  Date today{};
  ReplayOptions replay;
  std::string commandLine;
};

using HistoryProgress = std::function<void(const std::string& what, size_t done, size_t total)>;

// Returns the problems: a release that cannot be installed, a worker that broke. An error is one of
// the archive, or of the call.
Result<std::vector<std::string>> runHistory(const HistoryRequest& request,
                                            archive::Archive& archive, ProcessHost& host,
                                            const HistoryProgress& progress);

struct ExportAndRun {
  std::string exporter;                // "0.5.0"
  std::vector<std::string> consumers;  // Their versions.
  std::vector<std::string> cases;      // By name; docs/jax.md.
  int callingConvention = 0;           // In which they are exported; 0: the release's default.
};

// Runs on warm and fresh workers of each consumer, as far as a promise covers the pair, and not
// where the archive has an outcome. `wanted` names the releases; `request` says where environments
// are, and how they run. Returns the problems, as above.
Result<std::vector<std::string>> exportAndRun(const std::vector<ExportAndRun>& wanted,
                                              const HistoryRequest& request,
                                              archive::Archive& archive, ProcessHost& host,
                                              const HistoryProgress& progress);

// The exported artifacts and the pairs that run, in words.
std::string samplingOf(const HistoryRequest& request);

}  // namespace vintage::harness

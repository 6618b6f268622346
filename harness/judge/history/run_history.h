// Has releases export and run each other's artifacts, all of them or what shows a single claim;
// goes on where an earlier call ended.
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
  bool fresh = true;  // Fresh processes run what calls a target, as far as it is promised.
  archive::WindowPolicy policy = archive::jaxPolicy();
  Date today{};
  ReplayOptions replay;
  std::string commandLine;
};

using HistoryProgress = std::function<void(const std::string& what, size_t done, size_t total)>;

// What did not go well: a release that cannot be had, a worker that broke. An error is one
// of the archive, or of the call.
Result<std::vector<std::string>> runHistory(const HistoryRequest& request,
                                            archive::Archive& archive, ProcessHost& host,
                                            const HistoryProgress& progress);

struct ExportAndRun {
  std::string exporter;                // "0.5.0"
  std::vector<std::string> consumers;  // Their versions.
  std::vector<std::string> cases;      // By name; docs/jax.md.
  int callingConvention = 0;           // In which they are exported; 0: the release's default.
};

// On warm and fresh workers of each consumer, as far as a promise covers the pair. What the
// archive knows already is not run again. `request` says where environments are, and how things
// run; which releases, is taken from `wanted`. Returned is what did not go well, as above.
Result<std::vector<std::string>> exportAndRun(const std::vector<ExportAndRun>& wanted,
                                              const HistoryRequest& request,
                                              archive::Archive& archive, ProcessHost& host,
                                              const HistoryProgress& progress);

// What is exported and run, in words.
std::string samplingOf(const HistoryRequest& request);

}  // namespace vintage::harness

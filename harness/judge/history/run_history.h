// Has releases export and run each other's artifacts; goes on where an earlier call ended.
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
  std::vector<std::string> filters;  // As ProduceRequest.
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

// What is exported and run, in words.
std::string samplingOf(const HistoryRequest& request);

}  // namespace vintage::harness

// A pool of worker processes that execute requests.
//
// A worker that dies, hangs or talks nonsense costs the request that it was
// executing; the ones that waited behind it go to other workers. That request is
// tried once more, alone in a worker that starts after the failure, before it is blamed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {

// The result of a request: the worker's reply. After a crash or a timeout, which only the pool can
// detect, `detail` says how the worker ended and what it wrote last.
struct WorkerResult : ExecuteReply {
  double seconds = 0;  // Wall time of the attempt that counts.
  bool retried = false;
};

struct WorkerPoolOptions {
  std::vector<std::string> command;
  int workers = 1;
  // A worker whose hello says that it holds many requests gets as many as it answers in this time.
  std::chrono::microseconds ahead{0};
  std::chrono::milliseconds timeout{60'000};       // One request.
  std::chrono::milliseconds startTimeout{30'000};  // Until the hello.
  size_t memoryLimitBytes = size_t{8} << 30;
  SandboxUse sandbox = SandboxUse::kNone;
};

class WorkerPool {
 public:
  WorkerPool(WorkerPoolOptions options, ProcessHost& host);
  ~WorkerPool();

  // Starts all workers, and waits for none.
  Status start();
  // Waits for what one worker says about itself; starts it, unless start() did.
  Result<HelloMessage> greet();

  // The next request, with an id that is unique in a run; none: no more.
  using Source = std::function<Result<std::optional<ExecuteRequest>>()>;
  using Sink = std::function<Status(WorkerResult)>;
  // Every request that `source` gave has its result reach `sink` exactly once, in any order,
  // unless this returns an error: the source's, the sink's, or that no worker
  // can be started (which is not the fault of any request).
  Status run(const Source& source, const Sink& sink);
  // A run of one request.
  Result<WorkerResult> execute(ExecuteRequest request);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vintage::harness

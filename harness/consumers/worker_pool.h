// A pool of worker processes that execute jobs.
//
// A worker that dies, hangs or talks nonsense costs the job that it was
// executing; the ones that waited behind it go to other workers. That job is
// tried once more, alone in a worker that starts after the failure, before it is blamed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/consumers/message.h"
#include "harness/consumers/room.h"

namespace vintage::harness::consumers {

struct WorkerJob {
  uint64_t id = 0;  // Chosen by the caller, unique in a run.
  // The encoded request; shared because a job may be sent twice.
  std::shared_ptr<const std::vector<std::byte>> frame;
  std::optional<std::chrono::milliseconds> timeout;  // Instead of the pool's.
};

// The job that sends `request`, under the request's id. The artifact moves into the frame.
WorkerJob makeJob(ExecuteRequest request);

struct WorkerResult {
  uint64_t id = 0;
  // kCrash and kTimeout are the pool's; `reply` holds all others.
  OutcomeKind outcome = OutcomeKind::kPass;
  std::string detail;  // After a crash or a timeout: how it ended, and what it said last.
  ExecuteReply reply;
  double seconds = 0;  // Wall time of the attempt that counts.
  bool retried = false;
};

struct WorkerPoolOptions {
  std::vector<std::string> command;
  int workers = 1;
  // Requests that a worker holds at once, so that it never waits for the
  // parent. More would only cost more memory.
  int requestsInFlight = 4;
  // A worker whose hello says that it holds more gets as many as it answers in this time.
  std::chrono::microseconds ahead{0};
  size_t bytesInFlight = size_t{64} << 20;         // For one worker, beyond its first request.
  std::chrono::milliseconds timeout{60'000};       // One job.
  std::chrono::milliseconds startTimeout{30'000};  // Until the hello.
  size_t memoryLimitBytes = size_t{8} << 30;
  FrameLimits limits;
};

class WorkerPool {
 public:
  WorkerPool(WorkerPoolOptions options, ProcessHost& host);
  ~WorkerPool();

  // Starts all workers, and waits for none.
  Status start();
  // Waits for what one worker says about itself; starts it, unless start() did.
  Result<HelloMessage> greet();

  using Source = std::function<Result<std::optional<WorkerJob>>()>;  // None: no more.
  using Sink = std::function<Status(WorkerResult)>;
  // Every job that `source` gave reaches `sink` exactly once, in any order,
  // unless this returns an error: the source's, the sink's, or that no worker
  // can be started (which is not the fault of any job).
  Status run(const Source& source, const Sink& sink);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace vintage::harness::consumers

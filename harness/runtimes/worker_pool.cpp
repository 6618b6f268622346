#include "harness/runtimes/worker_pool.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/runtimes/conversation.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using Clock = ProcessHost::Clock;
// The run ends after so many workers in a row that end before their hello.
constexpr int kStartAttempts = 3;
// Requests that a worker holds at once, so that it never waits for the
// parent. More would only cost more memory.
constexpr int kRequestsInFlight = 4;
constexpr size_t kBytesInFlight = size_t{64} << 20;  // For one worker, beyond its first request.

struct Job {
  std::shared_ptr<const ExecuteRequest> request;
  bool suspected = false;  // Its worker failed: it runs alone now,
  int afterStart = 0;      // in a worker that starts after this one.

  size_t bytes() const {
    size_t bytes = request->artifact.size();
    for (const Tensor& input : request->inputs) bytes += input.bytes().size();
    return bytes;
  }
};

Job takeFirst(std::deque<Job>& jobs) {
  Job first = std::move(jobs.front());
  jobs.pop_front();
  return first;
}

// One worker and what it has been given.
struct Slot {
  std::optional<Conversation> worker;
  int start = 0;  // How many workers the pool had started with this one.
  std::optional<HelloMessage> hello;
  std::deque<Job> inFlight;  // In the order in which it answers.
  Clock::time_point since;   // When it was started, or its front job became the front.
  double secondsPerJob = 0;  // Of late; 0: it has not answered yet.
  int executed = 0;
};

}  // namespace

struct WorkerPool::Implementation {
  WorkerPoolOptions options;
  ProcessHost& host;
  std::vector<Slot> slots;
  std::deque<Job> waiting;   // Taken back from workers that failed.
  std::deque<Job> suspects;  // Each to run alone in a fresh worker.
  bool sourceEnded = false;
  int starts = 0;
  int failedStarts = 0;
  const Source* source = nullptr;
  const Sink* sink = nullptr;

  Status startWorker(Slot& slot) {
    ASSIGN_OR_RETURN(const auto command, sandboxed(options.command, options.sandbox, host));
    ASSIGN_OR_RETURN(auto worker, Conversation::start({command, options.memoryLimitBytes}, host));
    slot = Slot{};
    slot.worker = std::move(worker);
    slot.start = ++starts;
    slot.since = host.now();
    return {};
  }

  // The worker of `slot` is no longer usable. Its front job is tried alone, or
  // blamed where it was alone already; the others wait for another worker.
  Status fail(Slot& slot, OutcomeKind outcome, const Error& error) {
    const bool greeted = slot.hello.has_value();
    const double seconds = std::chrono::duration<double>(host.now() - slot.since).count();
    std::deque<Job> jobs = std::move(slot.inFlight);
    slot = Slot{};
    if (!greeted) {
      for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) putBack(std::move(*job));
      if (++failedStarts < kStartAttempts) return {};
      return ioError("{}: cannot start a worker: {} attempts failed; last error: {}",
                     options.command.front(), kStartAttempts, error.message);
    }
    if (jobs.empty()) return {};
    Job front = takeFirst(jobs);
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) putBack(std::move(*job));
    if (!front.suspected) {
      front.suspected = true;
      front.afterStart = starts;
      suspects.push_back(std::move(front));
      return {};
    }
    WorkerResult result;
    result.id = front.request->id;
    result.outcome = outcome;
    result.detail = error.message + " (twice, the second time alone in a fresh worker)";
    result.seconds = seconds;
    result.retried = true;
    return (*sink)(std::move(result));
  }

  void putBack(Job job) { (job.suspected ? suspects : waiting).push_front(std::move(job)); }

  // Whether the worker of `slot` has executed nothing, and started after the failure of the
  // suspect that is next: what ended that one's worker may have ended others with it.
  bool fresh(const Slot& slot) const {
    return slot.executed == 0 && slot.inFlight.empty() && slot.start > suspects.front().afterStart;
  }

  // The next job for `slot`, if one suits it. A suspect gets a fresh worker to
  // itself.
  Result<std::optional<Job>> nextJob(Slot& slot) {
    if (!slot.inFlight.empty() && slot.inFlight.front().suspected) return std::nullopt;
    if (!suspects.empty() && fresh(slot)) return takeFirst(suspects);
    if (!waiting.empty()) return takeFirst(waiting);
    if (sourceEnded) return std::nullopt;
    ASSIGN_OR_RETURN(auto fresher, (*source)());
    if (!fresher) {
      sourceEnded = true;
      return std::nullopt;
    }
    return Job{std::make_shared<const ExecuteRequest>(std::move(*fresher))};
  }

  // How many jobs `slot` is to have at once.
  int depth(const Slot& slot) const {
    const int most = slot.hello->requestsHeld;
    if (options.ahead.count() == 0 || slot.secondsPerJob == 0 || most <= kRequestsInFlight)
      return kRequestsInFlight;
    const double many = std::chrono::duration<double>(options.ahead).count() / slot.secondsPerJob;
    return many >= most ? most : std::max(kRequestsInFlight, static_cast<int>(many));
  }

  Status feed(Slot& slot) {
    const int depth = this->depth(slot);
    // One that holds many is fed when a quarter of them is answered, so that they travel together.
    if (depth > kRequestsInFlight && static_cast<int>(slot.inFlight.size()) > depth * 3 / 4)
      return {};
    size_t bytes = 0;
    for (const Job& job : slot.inFlight) bytes += job.bytes();
    while (static_cast<int>(slot.inFlight.size()) < depth &&
           (slot.inFlight.empty() || bytes < kBytesInFlight)) {
      ASSIGN_OR_RETURN(auto job, nextJob(slot));
      if (!job) break;
      if (slot.inFlight.empty()) slot.since = host.now();
      bytes += job->bytes();
      slot.worker->send(job->request);
      slot.inFlight.push_back(std::move(*job));
    }
    return {};
  }

  // Takes in what the worker said. An error value here is one of the run;
  // nonsense from the worker fails the slot instead.
  Status readFrom(Slot& slot) {
    const auto failedWith = [&](std::string what) {
      return fail(slot, OutcomeKind::kCrash, slot.worker->fail(std::move(what)));
    };
    slot.worker->read();
    for (;;) {
      auto frame = slot.worker->next();
      if (!frame) return fail(slot, OutcomeKind::kCrash, frame.error());
      if (!*frame) return {};
      if (!slot.hello) {
        auto hello = helloFromFrame(**frame);
        if (!hello) return failedWith("its greeting was wrong: " + hello.error().message);
        slot.hello = std::move(*hello);
        slot.since = host.now();
        failedStarts = 0;
        continue;
      }
      auto reply = replyFromFrame(std::move(**frame));
      if (!reply) return failedWith("the worker sent a wrong reply: " + reply.error().message);
      if (slot.inFlight.empty() || slot.inFlight.front().request->id != reply->id)
        return failedWith(fmt::format("the worker answered request {} out of turn", reply->id));
      RETURN_IF_ERROR(finish(slot, std::move(*reply)));
    }
  }

  Status finish(Slot& slot, ExecuteReply reply) {
    const Job job = takeFirst(slot.inFlight);
    WorkerResult result{std::move(reply)};
    result.seconds = std::chrono::duration<double>(host.now() - slot.since).count();
    result.retried = job.suspected;
    slot.since = host.now();
    ++slot.executed;
    constexpr double kWeight = 0.2;
    slot.secondsPerJob = slot.secondsPerJob == 0
                             ? result.seconds
                             : slot.secondsPerJob + kWeight * (result.seconds - slot.secondsPerJob);
    return (*sink)(std::move(result));
  }

  std::chrono::milliseconds allowed(const Slot& slot) const {
    return slot.hello ? options.timeout : options.startTimeout;
  }

  Clock::time_point deadline(const Slot& slot) const {
    if (slot.hello && slot.inFlight.empty()) return Clock::time_point::max();
    return slot.since + allowed(slot);
  }

  Status checkTime(Slot& slot) {
    if (host.now() < deadline(slot)) return {};
    return fail(
        slot, OutcomeKind::kTimeout,
        slot.worker->fail(fmt::format("no {} within {} s{}", slot.hello ? "answer" : "greeting",
                                      std::chrono::duration<double>(allowed(slot)).count(),
                                      slot.hello ? ", the limit of --timeout" : "")));
  }

  bool jobsUnassigned() const { return !sourceEnded || !waiting.empty() || !suspects.empty(); }

  bool workLeft() const {
    return jobsUnassigned() ||
           !std::ranges::all_of(slots, [](const Slot& slot) { return slot.inFlight.empty(); });
  }

  // A suspect waits for a fresh worker: an idle one that is not makes room.
  void makeRoomForSuspects() {
    if (suspects.empty()) return;
    for (Slot& slot : slots)
      if (!slot.worker || fresh(slot)) return;
    for (Slot& slot : slots)
      if (slot.inFlight.empty()) {
        slot = Slot{};
        return;
      }
  }

  Status turn() {
    makeRoomForSuspects();
    for (Slot& slot : slots) {
      if (!slot.worker) {
        if (!jobsUnassigned()) continue;
        RETURN_IF_ERROR(startWorker(slot));
      }
      if (slot.hello) RETURN_IF_ERROR(feed(slot));
      slot.worker->write();
    }
    std::vector<ProcessHost::Interest> interests;
    Clock::time_point soonest = Clock::time_point::max();
    for (Slot& slot : slots) {
      if (!slot.worker) continue;
      interests.push_back(slot.worker->interest());
      soonest = std::min(soonest, deadline(slot));
    }
    if (!workLeft()) return {};
    host.wait(interests, soonest);
    for (Slot& slot : slots) {
      if (slot.worker) RETURN_IF_ERROR(readFrom(slot));
      if (slot.worker) RETURN_IF_ERROR(checkTime(slot));
    }
    return {};
  }
};

WorkerPool::WorkerPool(WorkerPoolOptions options, ProcessHost& host)
    : implementation_(new Implementation{std::move(options), host, {}, {}, {}}) {
  implementation_->slots.resize(static_cast<size_t>(std::max(1, implementation_->options.workers)));
}

WorkerPool::~WorkerPool() = default;

Status WorkerPool::start() {
  Implementation& pool = *implementation_;
  for (Slot& slot : pool.slots)
    if (!slot.worker) RETURN_IF_ERROR(pool.startWorker(slot));
  return {};
}

Result<HelloMessage> WorkerPool::greet() {
  Implementation& pool = *implementation_;
  Slot& slot = pool.slots.front();
  pool.failedStarts = 0;
  while (!slot.hello) {
    if (!slot.worker) RETURN_IF_ERROR(pool.startWorker(slot));
    const ProcessHost::Interest interest = slot.worker->interest();
    pool.host.wait({&interest, 1}, pool.deadline(slot));
    RETURN_IF_ERROR(pool.readFrom(slot));
    if (slot.worker) RETURN_IF_ERROR(pool.checkTime(slot));
  }
  return *slot.hello;
}

Status WorkerPool::run(const Source& source, const Sink& sink) {
  Implementation& pool = *implementation_;
  pool.source = &source;
  pool.sink = &sink;
  pool.sourceEnded = false;
  pool.failedStarts = 0;
  while (pool.workLeft()) RETURN_IF_ERROR(pool.turn());
  return {};
}

Result<WorkerResult> WorkerPool::execute(ExecuteRequest request) {
  std::optional<ExecuteRequest> next = std::move(request);
  WorkerResult result;
  RETURN_IF_ERROR(run(
      [&]() -> Result<std::optional<ExecuteRequest>> { return std::exchange(next, std::nullopt); },
      [&](WorkerResult one) -> Status {
        result = std::move(one);
        return {};
      }));
  return result;
}

}  // namespace vintage::harness

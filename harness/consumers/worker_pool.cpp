#include "harness/consumers/worker_pool.h"

#include <algorithm>
#include <deque>
#include <list>

#include <fmt/format.h>

namespace vintage::harness::consumers {
namespace {

using Clock = ProcessHost::Clock;
// Workers in a row that end before their hello until the run is given up.
constexpr int kStartAttempts = 3;
constexpr size_t kBytesInOneWrite = size_t{64} << 10;

struct PendingJob {
  WorkerJob job;
  bool suspected = false;  // Its worker failed: it runs alone now,
  int afterStart = 0;      // in a worker that starts after this one.
};

// One worker process and what it has been given.
struct Slot {
  std::unique_ptr<Process> process;
  int start = 0;  // How many workers the pool had started with this one.
  FrameReader reader{FrameLimits{}};
  std::optional<HelloMessage> hello;
  std::deque<PendingJob> inFlight;  // In the order in which it answers.
  std::deque<std::shared_ptr<const std::vector<std::byte>>> outgoing;
  size_t sent = 0;           // Bytes of outgoing.front().
  Clock::time_point since;   // When it was started, or its front job became the front.
  double secondsPerJob = 0;  // Of late; 0: it has not answered yet.
  int executed = 0;
};

// The last lines of standard error, for a report.
std::string lastWords(const std::string& tail) {
  std::string words = tail.substr(tail.size() > 2000 ? tail.size() - 2000 : 0);
  while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
  return words.empty() ? "" : "; it wrote last: " + words;
}

}  // namespace

struct WorkerPool::Implementation {
  WorkerPoolOptions options;
  ProcessHost& host;
  std::vector<Slot> slots;
  std::deque<PendingJob> waiting;   // Taken back from workers that failed.
  std::deque<PendingJob> suspects;  // Each to run alone in a fresh worker.
  bool sourceEnded = false;
  int starts = 0;
  int failedStarts = 0;
  const Source* source = nullptr;
  const Sink* sink = nullptr;

  Status startWorker(Slot& slot) {
    ASSIGN_OR_RETURN(auto process, host.start({options.command, options.memoryLimitBytes}));
    slot = Slot{};
    slot.reader = FrameReader(options.limits);
    slot.process = std::move(process);
    slot.start = ++starts;
    slot.since = host.now();
    return {};
  }

  // How the worker of `slot` is known to have ended; kills it where it has not.
  std::string endOf(Slot& slot) {
    auto end = slot.process->end();
    return end ? "the worker " + end->describe() : "the worker closed its output";
  }

  // The worker of `slot` is of no more use. Its front job is tried alone, or
  // blamed where it was alone already; the others wait for another worker.
  Status fail(Slot& slot, OutcomeKind outcome, std::string what) {
    const bool greeted = slot.hello.has_value();
    const double seconds = std::chrono::duration<double>(host.now() - slot.since).count();
    slot.process->kill();
    what += lastWords(slot.process->errorTail());
    std::deque<PendingJob> jobs = std::move(slot.inFlight);
    slot = Slot{};
    if (!greeted) {
      for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) putBack(std::move(*job));
      if (++failedStarts < kStartAttempts) return {};
      return failure(Error::Kind::kIo,
                     fmt::format("{}: no worker can be started; {} tries failed, the last one "
                                 "thus: {}",
                                 options.command.front(), kStartAttempts, what));
    }
    if (jobs.empty()) return {};
    PendingJob front = std::move(jobs.front());
    jobs.pop_front();
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job) putBack(std::move(*job));
    if (!front.suspected) {
      front.suspected = true;
      front.afterStart = starts;
      suspects.push_back(std::move(front));
      return {};
    }
    WorkerResult result;
    result.id = front.job.id;
    result.outcome = outcome;
    result.detail = what + " (twice, the second time alone in a fresh worker)";
    result.seconds = seconds;
    result.retried = true;
    return (*sink)(std::move(result));
  }

  void putBack(PendingJob job) { (job.suspected ? suspects : waiting).push_front(std::move(job)); }

  // Whether the worker of `slot` has executed nothing, and started after the failure of the
  // suspect that is next: what ended that one's worker may have ended others with it.
  bool fresh(const Slot& slot) const {
    return slot.executed == 0 && slot.inFlight.empty() && slot.start > suspects.front().afterStart;
  }

  // The next job for `slot`, if one suits it. A suspect gets a fresh worker to
  // itself.
  Result<std::optional<PendingJob>> nextJob(Slot& slot) {
    if (!slot.inFlight.empty() && slot.inFlight.front().suspected) return std::nullopt;
    std::optional<PendingJob> job;
    if (!suspects.empty() && fresh(slot)) {
      job = std::move(suspects.front());
      suspects.pop_front();
      return job;
    }
    if (!waiting.empty()) {
      job = std::move(waiting.front());
      waiting.pop_front();
      return job;
    }
    if (sourceEnded) return std::nullopt;
    ASSIGN_OR_RETURN(auto fresher, (*source)());
    if (!fresher) {
      sourceEnded = true;
      return std::nullopt;
    }
    return PendingJob{std::move(*fresher), false};
  }

  // How many jobs `slot` is to have at once.
  int depth(const Slot& slot) const {
    const int most = slot.hello->requestsHeld;
    if (options.ahead.count() == 0 || slot.secondsPerJob == 0 || most <= options.requestsInFlight)
      return options.requestsInFlight;
    const double many = std::chrono::duration<double>(options.ahead).count() / slot.secondsPerJob;
    return many >= most ? most : std::max(options.requestsInFlight, static_cast<int>(many));
  }

  Status feed(Slot& slot) {
    const int depth = this->depth(slot);
    // One that holds many is fed when a quarter of them is answered, so that they travel together.
    if (depth > options.requestsInFlight && static_cast<int>(slot.inFlight.size()) > depth * 3 / 4)
      return {};
    size_t bytes = 0;
    for (const PendingJob& job : slot.inFlight) bytes += job.job.frame->size();
    while (static_cast<int>(slot.inFlight.size()) < depth &&
           (slot.inFlight.empty() || bytes < options.bytesInFlight)) {
      ASSIGN_OR_RETURN(auto job, nextJob(slot));
      if (!job) break;
      if (slot.inFlight.empty()) slot.since = host.now();
      bytes += job->job.frame->size();
      slot.outgoing.push_back(job->job.frame);
      slot.inFlight.push_back(std::move(*job));
    }
    return {};
  }

  // The frames at the front as one, where they are small: each write is a call of the system.
  static void join(Slot& slot) {
    size_t frames = 0, bytes = 0;
    for (const auto& frame : slot.outgoing) {
      if (bytes + frame->size() > kBytesInOneWrite) break;
      bytes += frame->size();
      ++frames;
    }
    if (slot.sent != 0 || frames < 2) return;
    auto joined = std::make_shared<std::vector<std::byte>>();
    joined->reserve(bytes);
    for (; frames > 0; --frames) {
      joined->insert(joined->end(), slot.outgoing.front()->begin(), slot.outgoing.front()->end());
      slot.outgoing.pop_front();
    }
    slot.outgoing.push_front(std::move(joined));
  }

  void write(Slot& slot) {
    while (!slot.outgoing.empty()) {
      join(slot);
      const auto& frame = *slot.outgoing.front();
      const size_t written = slot.process->write(std::span(frame).subspan(slot.sent));
      if (written == 0) return;
      slot.sent += written;
      if (slot.sent < frame.size()) continue;
      slot.outgoing.pop_front();
      slot.sent = 0;
    }
  }

  // Takes in what the worker said. An error value here is one of the run;
  // nonsense from the worker fails the slot instead.
  Status readFrom(Slot& slot) {
    slot.reader.append(slot.process->read());
    for (;;) {
      auto frame = slot.reader.next();
      if (!frame)
        return fail(slot, OutcomeKind::kCrash,
                    "the worker sent bytes that are " + frame.error().message);
      if (!*frame) break;
      if (!slot.hello) {
        auto hello = helloFromFrame(**frame);
        if (!hello)
          return fail(slot, OutcomeKind::kCrash,
                      "its greeting was wrong: " + hello.error().message);
        slot.hello = std::move(*hello);
        slot.since = host.now();
        failedStarts = 0;
        continue;
      }
      auto reply = replyFromFrame(**frame);
      if (!reply)
        return fail(slot, OutcomeKind::kCrash,
                    "the worker sent a wrong reply: " + reply.error().message);
      if (slot.inFlight.empty() || slot.inFlight.front().job.id != reply->id)
        return fail(
            slot, OutcomeKind::kCrash,
            fmt::format("the worker answered request {}, which is not its turn", reply->id));
      RETURN_IF_ERROR(finish(slot, std::move(*reply)));
    }
    if (slot.process->outputEnded()) {
      // Killed before it is asked how it ended: a worker that closed its
      // output and lives on is of no use either.
      std::string end = endOf(slot);
      for (int look = 0; look < 50 && !slot.process->end(); ++look)
        host.wait({}, host.now() + std::chrono::milliseconds(2));
      if (slot.process->end()) end = endOf(slot);
      return fail(slot, OutcomeKind::kCrash, std::move(end));
    }
    return {};
  }

  Status finish(Slot& slot, ExecuteReply reply) {
    const PendingJob job = std::move(slot.inFlight.front());
    slot.inFlight.pop_front();
    WorkerResult result;
    result.id = job.job.id;
    result.outcome = reply.outcome;
    result.reply = std::move(reply);
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

  Clock::time_point deadline(const Slot& slot) const {
    if (!slot.hello) return slot.since + options.startTimeout;
    if (slot.inFlight.empty()) return Clock::time_point::max();
    return slot.since + slot.inFlight.front().job.timeout.value_or(options.timeout);
  }

  Status checkTime(Slot& slot) {
    if (host.now() < deadline(slot)) return {};
    const auto allowed = slot.hello ? slot.inFlight.front().job.timeout.value_or(options.timeout)
                                    : options.startTimeout;
    return fail(slot, OutcomeKind::kTimeout,
                fmt::format("no {} within {} s", slot.hello ? "answer" : "greeting",
                            std::chrono::duration<double>(allowed).count()));
  }

  bool jobsUnassigned() const { return !sourceEnded || !waiting.empty() || !suspects.empty(); }

  bool workLeft() const {
    if (jobsUnassigned()) return true;
    return std::any_of(slots.begin(), slots.end(),
                       [](const Slot& slot) { return !slot.inFlight.empty(); });
  }

  // A suspect waits for a fresh worker: an idle one that is not makes room.
  void makeRoomForSuspects() {
    if (suspects.empty()) return;
    for (Slot& slot : slots)
      if (!slot.process || fresh(slot)) return;
    for (Slot& slot : slots)
      if (slot.inFlight.empty()) {
        slot = Slot{};
        return;
      }
  }

  Status turn() {
    makeRoomForSuspects();
    for (Slot& slot : slots) {
      if (!slot.process) {
        if (!jobsUnassigned()) continue;
        RETURN_IF_ERROR(startWorker(slot));
      }
      if (slot.hello) RETURN_IF_ERROR(feed(slot));
      write(slot);
    }
    std::vector<ProcessHost::Interest> interests;
    Clock::time_point soonest = Clock::time_point::max();
    for (Slot& slot : slots) {
      if (!slot.process) continue;
      interests.push_back({slot.process.get(), !slot.outgoing.empty()});
      soonest = std::min(soonest, deadline(slot));
    }
    if (!workLeft()) return {};
    host.wait(interests, soonest);
    for (Slot& slot : slots) {
      if (!slot.process) continue;
      RETURN_IF_ERROR(readFrom(slot));
      if (!slot.process) continue;
      RETURN_IF_ERROR(checkTime(slot));
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
    if (!slot.process) RETURN_IF_ERROR(pool.startWorker(slot));
  return {};
}

Result<HelloMessage> WorkerPool::greet() {
  Implementation& pool = *implementation_;
  Slot& slot = pool.slots.front();
  pool.failedStarts = 0;
  while (!slot.hello) {
    if (!slot.process) RETURN_IF_ERROR(pool.startWorker(slot));
    const ProcessHost::Interest interest{slot.process.get(), false};
    pool.host.wait({&interest, 1}, pool.deadline(slot));
    RETURN_IF_ERROR(pool.readFrom(slot));
    if (slot.process) RETURN_IF_ERROR(pool.checkTime(slot));
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

WorkerJob makeJob(ExecuteRequest request) {
  WorkerJob job;
  job.id = request.id;
  job.frame = std::make_shared<const std::vector<std::byte>>(encode(std::move(request)));
  return job;
}

}  // namespace vintage::harness::consumers

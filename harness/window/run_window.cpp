#include "harness/window/run_window.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/builds/builds.h"
#include "harness/builds/kept_program.h"
#include "harness/replay/begin_run.h"
#include "harness/replay/declared_limitations.h"
#include "harness/window/judge_window.h"

namespace vintage {
namespace {

// Artifacts of one start of a consumer's workers; what bounds the memory.
constexpr size_t kRecordsInOneBatch = 4000;

class WindowRunner {
 public:
  WindowRunner(const WindowOptions& options, Archive& archive, ProcessHost& host,
               const WindowProgress& progress, std::vector<Consumer> consumers, int factsLeftOut)
      : options_(options), archive_(archive), host_(host), progress_(progress),
        consumers_(std::move(consumers)), factsLeftOut_(factsLeftOut),
        limitations_(declaredLimitations()) {}

  Result<WindowReport> run() {
    if (options_.run)
      for (auto step : {&WindowRunner::countUnknown, &WindowRunner::runUnknown})
        if (Status status = (this->*step)(); !status)
          return tl::unexpected<Error>(status.error());
    auto report = judgeWindow(options_.choice, options_.replay.archiveArgument, archive_,
                              consumers_, limitations_);
    if (!report) return report;
    report->factsLeftOut = factsLeftOut_;
    report->reused = known_;
    report->ran = ran_;
    report->skipped = skipped_;
    report->breakages = std::move(breakages_);
    if (!summary_.run.empty())
      if (Status finished = archive_.finishRun(summary_.run, toJson(*report).dump()); !finished)
        return tl::unexpected<Error>(finished.error());
    return report;
  }

 private:
  bool wanted(const WindowCell& cell) const {
    return consumers_[cell.consumer].problem.empty() && (!cell.outcome || options_.rerun);
  }

  Status countUnknown() {
    toRun_.assign(consumers_.size(), 0);
    auto counted = survey(archive_, options_.choice, consumers_, [&](const WindowCell& cell) {
      if (wanted(cell))
        ++toRun_[cell.consumer];
      else
        known_ += cell.outcome != nullptr;
      return Status();
    });
    if (!counted) return tl::unexpected<Error>(counted.error());
    return {};
  }

  // One consumer after the other, so that only its workers run.
  Status runUnknown() {
    for (size_t index = 0; index < consumers_.size(); ++index) {
      if (toRun_[index] == 0) continue;
      Consumer& consumer = consumers_[index];
      auto ready = readyToStart(consumer.build(), archive_.folder(), host_);
      if (!ready) {
        consumer.problem = ready.error().message;
        breakages_.push_back(ready.error().message);
        continue;
      }
      if (summary_.run.empty())
        if (Status status = begin(); !status) return status;
      if (Status status = runOn(index, *ready); !status) return status;
    }
    return {};
  }

  Status begin() {
    auto id = beginRun(archive_, options_.replay.archiveArgument, "window", options_.commandLine,
                       options_.choice.today, limitations_, summary_);
    if (!id) return tl::unexpected<Error>(id.error());
    return {};
  }

  Status runOn(size_t index, const BuildRecord& build) {
    doneOnBuild_ = 0;
    using Key = std::pair<std::string, std::string>;  // Platform, mode.
    std::map<Key, std::vector<ArtifactRecord>> batches;
    bool broken = false;
    const auto flush = [&](const Key& key, std::vector<ArtifactRecord>& records) -> Status {
      if (records.empty() || broken) return {};
      const size_t breakages = summary_.breakages.size();
      Status status = replayBatch(index, build, key.first, key.second, records);
      // What does not start for one batch does not start for the next.
      broken = summary_.breakages.size() > breakages;
      records.clear();
      return status;
    };
    auto walked = survey(archive_, options_.choice, consumers_,
                         [&](const WindowCell& cell) -> Status {
                           if (cell.consumer != index || broken || !wanted(cell)) return {};
                           auto& records = batches[{cell.platform, cell.mode}];
                           // They share bytes and golden: one tells of all.
                           records.push_back(*cell.records.front());
                           if (records.size() < kRecordsInOneBatch) return {};
                           return flush({cell.platform, cell.mode}, records);
                         });
    if (!walked) return tl::unexpected<Error>(walked.error());
    for (auto& [key, records] : batches)
      if (Status status = flush(key, records); !status) return status;
    if (broken) {
      consumers_[index].problem = summary_.breakages.back();
      breakages_.push_back(summary_.breakages.back());
    }
    return {};
  }

  Status replayBatch(size_t index, const BuildRecord& build, const std::string& platform,
                     const std::string& mode, const std::vector<ArtifactRecord>& records) {
    ReplayChoice choice;
    choice.platform = platform;
    choice.mode = mode;
    choice.today = options_.choice.today;
    choice.limitations = limitations_;
    const ReplayPlan plan = planReplay(records, build, choice);
    ReplayOptions options = options_.replay;
    options.run = summary_.run;
    Status status = replay(
        plan, build, mode, options, archive_, host_,
        [&](size_t, size_t, const ReplayedPair&) {
          progress_(build.name, ++doneOnBuild_, static_cast<size_t>(toRun_[index]));
        },
        summary_);
    // The archive holds them now.
    ran_ += static_cast<int64_t>(summary_.pairs.size());
    summary_.pairs.clear();
    skipped_ += static_cast<int64_t>(summary_.skipped.size());
    summary_.skipped.clear();
    return status;
  }

  const WindowOptions& options_;
  Archive& archive_;
  ProcessHost& host_;
  const WindowProgress& progress_;
  std::vector<Consumer> consumers_;
  int factsLeftOut_;
  const std::vector<RecordedLimitation> limitations_;
  std::vector<int64_t> toRun_;
  RunSummary summary_;
  std::vector<std::string> breakages_;
  int64_t known_ = 0, ran_ = 0, skipped_ = 0;
  size_t doneOnBuild_ = 0;
};

Result<std::vector<Consumer>> consumersOf(const WindowOptions& options, const Archive& archive,
                                          int& factsLeftOut) {
  for (const std::string& name : options.consumers)
    if (auto found = findBuild(archive, name); !found) return tl::unexpected<Error>(found.error());
  auto builds = registeredBuilds(archive);
  if (!builds) return tl::unexpected<Error>(builds.error());
  return groupConsumers(*builds, options.choice.today, options.consumers, options.withFacts,
                        factsLeftOut);
}

}  // namespace

Result<WindowPlan> planWindow(const WindowOptions& options, const Archive& archive) {
  int factsLeftOut = 0;
  auto consumers = consumersOf(options, archive, factsLeftOut);
  if (!consumers) return tl::unexpected<Error>(consumers.error());
  WindowPlan plan;
  for (const Consumer& consumer : *consumers)
    plan.parts.push_back({consumer.build().name, consumer.problem, 0, 0});
  auto counts = survey(archive, options.choice, *consumers, [&](const WindowCell& cell) {
    WindowPlan::Part& part = plan.parts[cell.consumer];
    const bool known = cell.outcome && !(options.rerun && part.problem.empty());
    (known ? part.known : part.toRun) += 1;
    return Status();
  });
  if (!counts) return tl::unexpected<Error>(counts.error());
  plan.counts = *counts;
  for (const WindowPlan::Part& part : plan.parts) {
    plan.known += part.known;
    if (part.problem.empty()) plan.toRun += part.toRun;
  }
  return plan;
}

Result<WindowReport> runWindow(const WindowOptions& options, Archive& archive, ProcessHost& host,
                               const WindowProgress& progress) {
  int factsLeftOut = 0;
  auto consumers = consumersOf(options, archive, factsLeftOut);
  if (!consumers) return tl::unexpected<Error>(consumers.error());
  return WindowRunner(options, archive, host, progress, std::move(*consumers), factsLeftOut).run();
}

}  // namespace vintage

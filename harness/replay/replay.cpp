#include "harness/replay/replay.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "golden/base/memory_pages.h"
#include "harness/builds/builds.h"
#include "harness/consumers/large_frames.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/replay/declared_limitations.h"

namespace vintage::harness::replay {
namespace {

constexpr size_t kOutcomesInOneSync = 512;
constexpr size_t kShownIdCharacters = 12;
// A worker of real JAX loads and compiles before it greets: seconds, and many on a busy machine.
constexpr std::chrono::minutes kStartTimeout{2};

class Replayer {
 public:
  Replayer(const ReplayPlan& plan, const BuildRecord& build, const std::string& mode,
           const ReplayOptions& options, Archive& archive, const ReplayProgress& progress,
           std::vector<ConsumerLimitation> declared, RunSummary& summary)
      : plan_(plan),
        build_(build),
        mode_(mode),
        options_(options),
        archive_(archive),
        progress_(progress),
        declared_(std::move(declared)),
        summary_(summary) {}

  Status run(ProcessHost& host) {
    WorkerPoolOptions poolOptions;
    poolOptions.command = build_.command;
    poolOptions.workers = options_.workers;
    poolOptions.timeout = options_.timeout;
    poolOptions.startTimeout = kStartTimeout;
    poolOptions.memoryLimitBytes = options_.memoryLimitBytes;
    WorkerPool pool(poolOptions, host);
    auto hello = pool.greet();
    if (!hello) return breakRun(hello.error().message);
    if (Status status = checkGreeting(build_, *hello); !status)
      return breakRun(status.error().message);
    const Status status = pool.run([this] { return nextJob(); },
                                   [this](WorkerResult result) { return take(std::move(result)); });
    RETURN_IF_ERROR(flush());
    if (archiveProblem_) return tl::unexpected<Error>(*archiveProblem_);
    if (!status) return breakRun(status.error().message);
    return {};
  }

 private:
  Status breakRun(const std::string& what) {
    summary_.breakages.push_back(fmt::format("{}: {}", build_.name, what));
    return {};
  }

  Result<std::optional<WorkerJob>> nextJob() {
    while (next_ < plan_.jobs.size()) {
      const size_t number = next_++;
      const ReplayJob& job = plan_.jobs[number];
      const ArtifactRecord& record = job.records.front();
      std::optional<PhaseMeter::Busy> busy;
      busy.emplace(options_.phases, "read from the archive");
      auto bytes = archive_.read(record.id);
      // A consumer that only compiles needs none.
      auto golden = record.golden.empty() ? Golden() : archive_.readGolden(record);
      busy.reset();
      if (!bytes || !golden) {
        const std::string& what = bytes ? golden.error().message : bytes.error().message;
        RETURN_IF_ERROR(finish(job, OutcomeKind::kRunnerError, Stage::kLoad, what, 0));
        continue;
      }
      ExecuteRequest request =
          requestOf(record, job.platform, mode_, std::move(*bytes), golden->inputs);
      request.id = number;
      goldens_.emplace(number, std::move(*golden));
      return request.artifact.size() > kHeldWhole ? makeLargeJob(std::move(request))
                                                  : makeJob(request);
    }
    return std::nullopt;
  }

  Status take(WorkerResult result) {
    const ReplayJob& job = plan_.jobs[result.id];
    const auto golden = goldens_.extract(result.id);
    if (options_.phases) options_.phases->add("workers", result.seconds);
    switch (result.outcome) {
      case OutcomeKind::kPass: {
        Judged judged = compare(job, golden.mapped(), result.reply.outputs);
        if (!result.reply.detail.empty())
          judged.detail += (judged.detail.empty() ? "" : "\n") + result.reply.detail;
        return finish(job, judged.outcome, Stage::kCompare, judged.detail, result.seconds);
      }
      case OutcomeKind::kCompiled:
      case OutcomeKind::kError:
      case OutcomeKind::kUnsupported:
        return finish(job, result.outcome, result.reply.stage, result.reply.detail, result.seconds);
      default:
        return finish(job, result.outcome, Stage::kRun, result.detail, result.seconds);
    }
  }

  Judged compare(const ReplayJob& job, const Golden& golden, std::span<const Tensor> outputs) {
    const PhaseMeter::Busy busy(options_.phases, "compare");
    if (options_.accuracy != nullptr)
      options_.accuracy->add(job.records.front(), recordedPlatform(job.platform, job.emulated),
                             mode_, golden, outputs);
    return compareWithGolden(golden, outputs);
  }

  Status finish(const ReplayJob& job, OutcomeKind kind, Stage stage, const std::string& detail,
                double seconds) {
    const ArtifactRecord& first = job.records.front();
    OutcomeRecord outcome;
    outcome.artifact = first.id;
    outcome.golden = first.golden;
    outcome.build = build_.name;
    outcome.platform = recordedPlatform(job.platform, job.emulated);
    outcome.mode = mode_;
    outcome.run = options_.run;
    outcome.outcome = kind;
    outcome.stage = stage;
    outcome.detail = detail;
    outcome.seconds = seconds;
    outcome.limitation = limitationOf(job, outcome);
    outcomes_.push_back(std::move(outcome));
    for (const ArtifactRecord& record : job.records) addPair(job, record);
    if (progress_) progress_(++done_, plan_.jobs.size(), summary_.pairs.back());
    return outcomes_.size() < kOutcomesInOneSync ? Status() : flush();
  }

  // What is declared of it; empty: nothing.
  std::string limitationOf(const ReplayJob& job, const OutcomeRecord& outcome) const {
    if (speaksOf(job.limitation, outcome.outcome)) return job.limitation;
    for (const ArtifactRecord& record : job.records)
      if (const auto* found = speakingOf(declared_, useOf(outcome, record), plan_.today))
        return found->use.id;
    return "";
  }

  void addPair(const ReplayJob& job, const ArtifactRecord& record) {
    const OutcomeRecord& outcome = outcomes_.back();
    ReplayedPair pair;
    pair.name = record.name;
    pair.artifact = record.id;
    pair.producer = record.producer;
    pair.artifactBuildDate = record.buildDate;
    pair.build = build_.name;
    pair.consumerBuildDate = build_.buildDate;
    pair.platform = outcome.platform;
    pair.mode = mode_;
    // What a stand-in does keeps nobody's promise, and breaks none.
    if (const auto promise = options_.policy.covers(record.buildDate, build_.buildDate);
        promise && !job.emulated)
      pair.promise = promiseName(*promise);
    pair.outcome = outcome.outcome;
    pair.stage = outcome.stage;
    pair.detail = outcome.detail;
    pair.seconds = outcome.seconds;
    pair.limitation = outcome.limitation;
    if (!job.limitation.empty() && pair.limitation.empty() &&
        pair.outcome != OutcomeKind::kRunnerError)
      pair.detail +=
          fmt::format(" (limitation {} declares another kind of failure)", job.limitation);
    pair.command = fmt::format("vintage replay --archive {} --id {} --platform {} --mode {}",
                               options_.archiveArgument, record.id.substr(0, kShownIdCharacters),
                               job.platform, mode_);
    if (job.emulated) pair.command += " --emulate";
    if (build_.kind != "engine") pair.command += fmt::format(" --build '{}'", build_.name);
    summary_.pairs.push_back(std::move(pair));
  }

  Status flush() {
    if (outcomes_.empty()) return {};
    const PhaseMeter::Busy busy(options_.phases, "record");
    Status status = archive_.putOutcomes(outcomes_);
    outcomes_.clear();
    if (!status) archiveProblem_ = status.error();
    return status;
  }

  const ReplayPlan& plan_;
  const BuildRecord& build_;
  const std::string& mode_;
  const ReplayOptions& options_;
  Archive& archive_;
  const ReplayProgress& progress_;
  const std::vector<ConsumerLimitation> declared_;
  RunSummary& summary_;

  size_t next_ = 0, done_ = 0;
  std::unordered_map<uint64_t, Golden> goldens_;  // Of the jobs in flight.
  std::vector<OutcomeRecord> outcomes_;
  std::optional<Error> archiveProblem_;
};

}  // namespace

Status replay(const ReplayPlan& plan, const BuildRecord& build, const std::string& mode,
              const ReplayOptions& options, Archive& archive, ProcessHost& host,
              const ReplayProgress& progress, RunSummary& summary) {
  for (SkippedPair skip : plan.skipped) {
    if (const auto promise = options.policy.covers(skip.artifactBuildDate, build.buildDate))
      skip.promise = promiseName(*promise);
    summary.skipped.push_back(std::move(skip));
  }
  for (const auto& [what, count] : plan.outOfScope) {
    const auto known = std::ranges::find(summary.outOfScope, what, &Unjudged::what);
    if (known == summary.outOfScope.end())
      summary.outOfScope.push_back({what, "--scope leaves it out", count});
    else
      known->artifacts += count;
  }
  if (plan.jobs.empty()) return {};
  ASSIGN_OR_RETURN(auto declared, consumerLimitations(archive));
  return Replayer(plan, build, mode, options, archive, progress, std::move(declared), summary)
      .run(host);
}

}  // namespace vintage::harness::replay

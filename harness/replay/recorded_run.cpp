#include "harness/replay/recorded_run.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "golden/base/typed_words.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kShownIdCharacters = 12;
constexpr size_t kArtifactsInOneQuery = 500;

// Artifact, golden, platform.
using Execution = std::tuple<ContentId, ContentId, std::string>;

}  // namespace

Result<RecordedRun> RecordedRun::begin(const std::string& kind, const std::string& commandLine,
                                       Date today, std::span<const Limitation> limitations,
                                       ReplayOptions options, Archive& archive, ProcessHost& host) {
  RecordedRun run(std::move(options), archive, host);
  RunRecord& record = run.summary.run;
  record.kind = kind;
  record.commandLine = commandLine;
  record.label = run.options.label;
  record.started = timeText(std::chrono::system_clock::now());
  ASSIGN_OR_RETURN(record.id, archive.putRun(record, limitations));
  run.summary.archive = run.options.archiveArgument;
  run.summary.today = today;
  run.limitations_ = limitations;
  return run;
}

ReplayPlan RecordedRun::plan(std::span<const SharedRecord> records, const BuildRecord& build,
                             ReplayChoice& choice) {
  choice.today = summary.today;
  choice.limitations = limitations_;
  ReplayPlan plan = planReplay(records, build, choice);
  matched_.insert(plan.matchedLimitations.begin(), plan.matchedLimitations.end());
  for (Pair& skip : plan.skipped) {
    if (const auto promise = options.policy.covers(skip.artifact->buildDate, build.buildDate))
      skip.promise = promiseName(*promise);
    summary.skipped.push_back(std::move(skip));
  }
  for (const auto& [what, count] : plan.outOfScope) {
    const auto known = std::ranges::find(summary.scope.leftOut, what, &Unjudged::what);
    if (known == summary.scope.leftOut.end())
      summary.scope.leftOut.push_back({what, "--scope leaves it out", count});
    else
      known->artifacts += count;
  }
  return plan;
}

void RecordedRun::add(const ReplayJob& job, const BuildRecord& build,
                      const OutcomeRecord& outcome) {
  for (const SharedRecord& record : job.records) {
    Pair& pair = summary.pairs.emplace_back();
    pair.artifact = record;
    pair.outcome = outcome;
    pair.cell = judge(outcome);
    pair.consumerDate = build.buildDate;
    // A stand-in neither keeps a promise nor breaks one.
    if (const auto promise = options.policy.covers(record->buildDate, build.buildDate);
        promise && !job.emulated)
      pair.promise = promiseName(*promise);
    if (!job.limitation.empty() && outcome.limitation.empty() &&
        outcome.outcome != OutcomeKind::kRunnerError)
      pair.outcome.detail +=
          fmt::format(" (limitation {} declares another kind of failure)", job.limitation);
    pair.command =
        fmt::format("vintage replay --archive {} --id {} --platform {} --mode {}",
                    shellWord(options.archiveArgument), record->id.substr(0, kShownIdCharacters),
                    shellWord(job.platform), shellWord(outcome.mode));
    if (job.emulated) pair.command += " --emulate";
    if (build.kind != "engine") pair.command += " --build " + shellWord(build.name);
  }
}

Status RecordedRun::execute(std::span<const SharedRecord> records, const BuildRecord& build,
                            ReplayChoice choice, const ReplayProgress& progress) {
  const ReplayPlan plan = this->plan(records, build, choice);
  if (plan.jobs.empty()) return {};
  ASSIGN_OR_RETURN(const auto declared, consumerLimitations(*archive_));
  size_t done = 0;
  summary.pairs.reserve(summary.pairs.size() + plan.jobs.size());
  ASSIGN_OR_RETURN(const std::string breakage,
                   executePlan({plan, build, choice, summary.run.id, declared, options}, *archive_,
                               *host_, [&](const ReplayJob& job, const OutcomeRecord& outcome) {
                                 add(job, build, outcome);
                                 if (progress)
                                   progress(++done, plan.jobs.size(), summary.pairs.back());
                               }));
  if (!breakage.empty()) summary.breakages.push_back(fmt::format("{}: {}", build.name, breakage));
  return {};
}

Result<size_t> RecordedRun::takeRecorded(std::span<const SharedRecord> records,
                                         const BuildRecord& build, ReplayChoice choice) {
  const ReplayPlan plan = this->plan(records, build, choice);
  size_t missing = 0;
  const std::span<const ReplayJob> jobs(plan.jobs);
  for (size_t begin = 0; begin < jobs.size(); begin += kArtifactsInOneQuery) {
    const auto some = jobs.subspan(begin, std::min(kArtifactsInOneQuery, jobs.size() - begin));
    OutcomeFilter filter;
    filter.builds = {build.name};
    filter.modes = {choice.mode};
    filter.runs = {summary.run.id};
    for (const ReplayJob& job : some) filter.artifacts.push_back(job.records.front()->id);
    ASSIGN_OR_RETURN(auto outcomes, archive_->outcomes(filter));
    std::map<Execution, OutcomeRecord> recorded;
    for (OutcomeRecord& outcome : outcomes) {
      Execution execution{outcome.artifact, outcome.golden, outcome.platform};
      recorded.insert_or_assign(std::move(execution), std::move(outcome));
    }
    for (const ReplayJob& job : some) {
      const ArtifactRecord& first = *job.records.front();
      const auto found =
          recorded.find({first.id, first.golden, recordedPlatform(job.platform, job.emulated)});
      if (found == recorded.end())
        ++missing;
      else
        add(job, build, found->second);
    }
  }
  return missing;
}

}  // namespace vintage::harness

#include "harness/replay/recorded.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kShownIdCharacters = 12;
constexpr size_t kArtifactsInOneQuery = 500;

// Artifact, golden, platform.
using Execution = std::tuple<ContentId, ContentId, std::string>;

}  // namespace

Pair pairOf(const ReplayJob& job, const SharedRecord& record, const BuildRecord& build,
            const OutcomeRecord& outcome, const ReplayOptions& options) {
  Pair pair;
  pair.artifact = record;
  pair.outcome = outcome;
  pair.cell = judge(outcome);
  pair.consumerDate = build.buildDate;
  // What a stand-in does keeps nobody's promise, and breaks none.
  if (const auto promise = options.policy.covers(record->buildDate, build.buildDate);
      promise && !job.emulated)
    pair.promise = promiseName(*promise);
  if (!job.limitation.empty() && outcome.limitation.empty() &&
      outcome.outcome != OutcomeKind::kRunnerError)
    pair.outcome.detail +=
        fmt::format(" (limitation {} declares another kind of failure)", job.limitation);
  pair.command = fmt::format("vintage replay --archive {} --id {} --platform {} --mode {}",
                             options.archiveArgument, record->id.substr(0, kShownIdCharacters),
                             job.platform, outcome.mode);
  if (job.emulated) pair.command += " --emulate";
  if (build.kind != "engine") pair.command += fmt::format(" --build '{}'", build.name);
  return pair;
}

void addLeftOut(const ReplayPlan& plan, const BuildRecord& build, const ReplayOptions& options,
                RunSummary& summary) {
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
}

Result<size_t> addRecorded(const ReplayPlan& plan, const BuildRecord& build,
                           const std::string& mode, const ReplayOptions& options,
                           const Archive& archive, RunSummary& summary) {
  addLeftOut(plan, build, options, summary);
  size_t missing = 0;
  const std::span<const ReplayJob> jobs(plan.jobs);
  for (size_t begin = 0; begin < jobs.size(); begin += kArtifactsInOneQuery) {
    const auto some = jobs.subspan(begin, std::min(kArtifactsInOneQuery, jobs.size() - begin));
    OutcomeFilter filter;
    filter.builds = {build.name};
    filter.modes = {mode};
    filter.runs = {options.run};
    for (const ReplayJob& job : some) filter.artifacts.push_back(job.records.front()->id);
    ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
    std::map<Execution, OutcomeRecord> recorded;
    for (OutcomeRecord& outcome : outcomes) {
      Execution execution{outcome.artifact, outcome.golden, outcome.platform};
      recorded.insert_or_assign(std::move(execution), std::move(outcome));
    }
    for (const ReplayJob& job : some) {
      const ArtifactRecord& first = *job.records.front();
      const auto found =
          recorded.find({first.id, first.golden, recordedPlatform(job.platform, job.emulated)});
      if (found == recorded.end()) {
        ++missing;
        continue;
      }
      for (const SharedRecord& record : job.records)
        summary.pairs.push_back(pairOf(job, record, build, found->second, options));
    }
  }
  return missing;
}

}  // namespace vintage::harness

#include "harness/command/night_on_slurm.h"

#include <algorithm>
#include <iterator>

#include "golden/base/failures.h"
#include "harness/command/produce_report.h"
#include "reports/accuracy.h"

namespace vintage::harness::command {
namespace {

// Outcomes of a part become the night's.
Status takeOutcomes(const Archive& part, const std::string& partRun, const std::string& run,
                    Archive& into) {
  OutcomeFilter filter;
  filter.runs = {partRun};
  ASSIGN_OR_RETURN(auto outcomes, part.outcomes(filter));
  for (OutcomeRecord& outcome : outcomes) outcome.run = run;
  return into.putOutcomes(outcomes);
}

// Adds what a part's run says beside its outcomes, and returns the run's id.
Result<std::string> takeNotes(const Archive& part, RunNotes& whole) {
  ASSIGN_OR_RETURN(const auto runs, part.runs());
  const auto last = std::ranges::find_if(runs.rbegin(), runs.rend(), [](const RunRecord& run) {
    return run.kind == kPartOfNight && !run.finished.empty();
  });
  if (last == runs.rend())
    return badInput("{}: no part of a night has finished in it; 'vintage nightly --shard I/N' "
                    "records one",
                    part.folder());
  ASSIGN_OR_RETURN(const auto run, part.run(last->id));
  RunNotes notes = parseRunNotes(run.verdict);
  std::ranges::move(notes.accuracy, std::back_inserter(whole.accuracy));
  // A consumer that does not start breaks each part in the same words.
  for (std::string& breakage : notes.breakages)
    if (std::ranges::find(whole.breakages, breakage) == whole.breakages.end())
      whole.breakages.push_back(std::move(breakage));
  return run.id;
}

}  // namespace

Result<ProduceReport> NightOnSlurm::exportWith(const BuildRecord& release,
                                               const ProduceRequest& request) {
  std::vector<std::string> words{"--build",         release.name, "--one-of-each",
                                 request.oneOfEach, "--jobs",     std::to_string(request.jobs)};
  for (const std::string& filter : request.filters) words.insert(words.end(), {"--filter", filter});
  ASSIGN_OR_RETURN(auto parts, slurm_.run("produce", folder_, words, console_));
  return takeExports(parts, archive_);
}

Result<RunNotes> NightOnSlurm::replay(std::span<const RealRelease> releases,
                                       const std::string& run) {
  std::vector<std::string> words = slurm_.typedOptions();
  words.insert(words.end(), {"--no-export", "--today", formatDate(today_)});
  // "latest" is what it was when the night began.
  if (!releases.empty()) words.push_back("--jax");
  for (const RealRelease& release : releases)
    words.push_back(release.producer.substr(release.producer.find(' ') + 1));  // "jax 0.8.1"
  ASSIGN_OR_RETURN(auto parts, slurm_.run("nightly", folder_, words, console_));
  RunNotes whole;
  for (const ClusterPart& part : parts.finished) {
    ASSIGN_OR_RETURN(auto own, Archive::open(part.archive.string(), Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const std::string partRun, takeNotes(own, whole));
    RETURN_IF_ERROR(within(part.archive.string(), takeOutcomes(own, partRun, run, archive_)));
  }
  RETURN_IF_ERROR(parts.remove());
  return whole;
}

}  // namespace vintage::harness::command

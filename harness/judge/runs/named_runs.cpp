#include "harness/judge/runs/named_runs.h"

#include <algorithm>
#include <set>

#include "golden/base/failures.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kShownName = 80;

std::string namesText(const std::set<std::string>& names) {
  constexpr size_t kShown = 20;
  return names.empty() ? "none" : reports::someOf(std::vector(names.begin(), names.end()), kShown);
}

}  // namespace

Result<RunRecord> findRun(const Archive& archive, std::string_view name) {
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  if (const auto found = std::ranges::find(runs, name, &RunRecord::id); found != runs.end())
    return *found;
  std::set<std::string> labels;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->label.empty() || !run->reporter.empty()) continue;
    if (run->label == name) return *run;
    labels.insert(run->label);
  }
  const auto ofKind = std::find_if(runs.rbegin(), runs.rend(), [&](const RunRecord& run) {
    return run.kind == name && run.reporter.empty() && !run.finished.empty();
  });
  if (ofKind != runs.rend()) return *ofKind;
  return notFound(
      "the archive has no run '{}', and none with that label or of that kind; its newest is '{}', "
      "and labels are: "
      "{}; 'vintage list --runs' lists all",
      name.substr(0, kShownName), runs.empty() ? "none" : runs.back().id, namesText(labels));
}

Result<ReportedResults> resultsReportedBy(const Archive& archive, const std::string& reporter) {
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  ReportedResults results;
  std::set<std::string> reporters;
  for (const RunRecord& run : runs) {
    if (!run.reporter.empty()) reporters.insert(run.reporter);
    if (run.reporter == reporter && run.kind != kProbingRun) results.runs.push_back(run.id);
  }
  if (reporter.empty() || results.runs.empty())
    return notFound("--by: nobody reported results as '{}'; reporters are: {}",
                    reporter.substr(0, kShownName), namesText(reporters));
  OutcomeFilter filter;
  filter.runs = results.runs;
  std::set<std::string> builds, modes;
  RETURN_IF_ERROR(archive.forEachOutcome(filter, [&](const OutcomeRecord& outcome) {
    builds.insert(outcome.build);
    modes.insert(outcome.mode);
    return true;
  }));
  if (builds.empty())
    return nothingToJudge("--by: the runs that '{}' reported hold no outcome", reporter);
  results.builds.assign(builds.begin(), builds.end());
  results.modes.assign(modes.begin(), modes.end());
  return results;
}

}  // namespace vintage::harness

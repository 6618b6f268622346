// The first page: what the newest run answered, what changed since the one before, and since when
// its failures fail.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "archive/store/archive_counts.h"
#include "archive/store/run_difference.h"
#include "harness/dashboard/pages.h"
#include "harness/judge/runs/compare_runs.h"
#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

namespace {

constexpr int64_t kShownChanges = 50, kShownFailures = 50;
constexpr size_t kShownOfDetail = 300;
constexpr size_t kShownReasons = 30;

// The archive's own newest finished run with a verdict that fits.
std::optional<RunRecord> newestRun(std::span<const RunRecord> runs, const auto& fits) {
  const auto found = std::find_if(runs.rbegin(), runs.rend(), [&](const RunRecord& run) {
    return run.reporter.empty() && !run.finished.empty() && !run.result.empty() && fits(run);
  });
  return found == runs.rend() ? std::nullopt : std::optional(*found);
}

// A night or a window; where there is none, another run.
std::optional<RunRecord> answeringRun(std::span<const RunRecord> runs) {
  const auto night = newestRun(
      runs, [](const RunRecord& run) { return run.kind == "nightly" || run.kind == "window"; });
  return night ? night
               : newestRun(runs, [](const RunRecord& run) { return run.kind != kProbingRun; });
}

// A run that began after `answer` and does not hold: who opens the page must not miss it.
std::optional<RunRecord> laterFailure(std::span<const RunRecord> runs, const RunRecord& answer) {
  return newestRun(runs, [&](const RunRecord& run) {
    return run.kind != kProbingRun && run.started > answer.started && run.result != "holds";
  });
}

json runJson(const RunRecord& run) {
  return {{"id", run.id},
          {"kind", run.kind},
          {"label", run.label},
          {"started", run.started},
          {"verdict", cutText(run.result, 80)},
          {"command_line", cutText(run.commandLine, 400)}};
}

// Lists that the run's notes hold; runs of earlier versions have none.
json notesList(const json& notes, const char* name) {
  const auto found = notes.is_object() ? notes.find(name) : notes.end();
  if (!notes.is_object() || found == notes.end() || !found->is_array()) return json::array();
  json list = json::array();
  for (const json& entry : *found)
    if (list.size() < kShownReasons)
      list.push_back(entry.is_string() ? json(cutText(entry, kShownOfDetail)) : entry);
  return list;
}

json changesJson(const RunComparison& comparison) {
  json changes = toJson(comparison);
  for (json& change : changes["changes"])
    for (const char* side : {"before", "after"})
      change[side]["detail"] = cutText(change[side]["detail"], kShownOfDetail);
  return changes;
}

// By product: the builds that one failure's history goes over.
using Products = std::map<std::string, std::vector<std::string>>;

Result<json> failuresJson(const PageContext& context, std::span<const RunRecord> runs,
                          const RunRecord& run) {
  ASSIGN_OR_RETURN(const auto groups, failuresOfRun(context.archive, run.id, kShownFailures));
  ASSIGN_OR_RETURN(const auto builds, context.archive.builds());
  Products products;
  for (const BuildRecord& build : builds) products[productOf(build.name)].push_back(build.name);
  ASSIGN_OR_RETURN(const auto inRun, buildsOfRun(context.archive, run.id));
  json failures = json::array();
  for (const FailureGroup& group : groups) {
    const OutcomeRecord& example = group.example;
    // Many builds of one product may stand in one run; then each has a history of its own.
    const auto& all = products[productOf(example.build)];
    const bool alone = std::ranges::count(inRun, productOf(example.build), productOf) == 1;
    ASSIGN_OR_RETURN(const auto since,
                     failsSince(context.archive, example,
                                alone ? all : std::vector<std::string>{example.build}));
    const auto first = std::ranges::find(runs, since, &RunRecord::id);
    json failure = outcomeJson(example);
    failure["primitive"] = group.primitive;
    failure["build"] = example.build;
    failure["failures"] = group.failures;
    failure["name"] = group.artifact;
    failure["artifact"] = example.artifact;
    failure["golden"] = example.golden;
    failure["message"] = cutText(example.detail, kShownOfDetail);
    failure["since"] = first == runs.end() || first->started.empty() ? since : first->started;
    failure["is_new"] = since == run.id;
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace

Result<json> summaryPage(const PageContext& context, const PageParameters&) {
  ASSIGN_OR_RETURN(const auto runs, context.archive.runs());
  const auto newest = answeringRun(runs);
  if (!newest) return json{{"run", nullptr}};
  ASSIGN_OR_RETURN(const auto run, context.archive.run(newest->id));
  const auto notes = json::parse(run.verdict, nullptr, false);
  json page{{"run", runJson(run)},
            {"reasons", notesList(notes, "reasons")},
            {"promises", notesList(notes, "promises")},
            {"changes", nullptr},
            {"later_failure", nullptr}};
  if (const auto later = laterFailure(runs, run)) page["later_failure"] = runJson(*later);
  ASSIGN_OR_RETURN(page["run"]["outcomes"], outcomesOfRun(context.archive, run.id));
  ASSIGN_OR_RETURN(page["failures"], failuresJson(context, runs, run));
  ASSIGN_OR_RETURN(const auto before, runBefore(context.archive, runs, run));
  if (before) {
    ASSIGN_OR_RETURN(const auto comparison,
                     compareRuns(context.archive, *before, *newest, kShownChanges));
    page["changes"] = changesJson(comparison);
  }
  return page;
}

}  // namespace vintage::harness

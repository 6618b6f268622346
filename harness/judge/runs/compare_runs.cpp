#include "harness/judge/runs/compare_runs.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "archive/store/archive_counts.h"
#include "golden/base/clock.h"
#include "golden/base/counted.h"
#include "golden/base/date.h"
#include "golden/base/failures.h"
#include "harness/judge/runs/measured_between.h"
#include "harness/judge/runs/named_runs.h"
#include "harness/runtimes/builds/product.h"
#include "reports/speed_report.h"
#include "reports/speed_report_fields.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

namespace {

constexpr size_t kShownBuilds = 4;

json outcomeOf(const OutcomeRecord& outcome) {
  return {{"build", outcome.build},
          {"outcome", outcomeName(outcome.outcome)},
          {"stage", stageName(outcome.stage)},
          {"limitation", outcome.limitation},
          {"detail", outcome.detail}};
}
std::string nameOf(const OutcomeRecord& outcome) {
  return isSuccess(outcome.outcome)
             ? outcomeName(outcome.outcome)
             : fmt::format("{} in {}", outcomeName(outcome.outcome), stageName(outcome.stage));
}

// On which it began; where nobody knows that, today.
Date dayOf(const RunRecord& run, const Archive& archive) {
  constexpr size_t kCharactersOfDay = 10;
  const auto day = parseDate(run.started.substr(0, kCharactersOfDay));
  return day ? *day : std::chrono::floor<std::chrono::days>(archive.clock().now());
}

std::string textOfSpeed(const SpeedJudgement& judgement) {
  if (judgement.counts.measured == 0)
    return "speed: no new build of the second run was measured beside one of the first\n";
  std::string text =
      fmt::format("speed: of {} measured beside each other, {} slower or larger\n",
                  counted(judgement.counts.measured, "artifact"), judgement.findings.size());
  for (const SpeedFinding& finding : judgement.findings) {
    text += fmt::format("  {}: {} on {}: {}\n", finding.kind, reports::subjectText(finding),
                        finding.after, reports::measuredText(finding));
    if (finding.isDeclared())
      text += fmt::format("    it fails as declared by limitation {}: {}\n", finding.limitation,
                          finding.reason);
    else
      text += fmt::format("    {}\n", finding.command);
  }
  return text;
}

Result<RunComparison> compareWithSpeed(const Archive& archive, RunRecord before, RunRecord after) {
  ASSIGN_OR_RETURN(auto comparison, compareRuns(archive, std::move(before), std::move(after)));
  ASSIGN_OR_RETURN(const auto builds, buildsOfRun(archive, comparison.before.id));
  ASSIGN_OR_RETURN(auto newBuilds, buildsOfRun(archive, comparison.after.id));
  std::erase_if(newBuilds, [&](const std::string& build) { return lists(builds, build); });
  ASSIGN_OR_RETURN(comparison.speed,
                   measuredBetween(archive, builds, newBuilds, dayOf(comparison.after, archive)));
  return comparison;
}

}  // namespace

BuildMatches matchBuilds(std::vector<std::string> before, std::vector<std::string> after) {
  BuildMatches matches;
  std::ranges::sort(before);
  std::ranges::sort(after);
  std::ranges::set_difference(before, after, std::back_inserter(matches.onlyBefore));
  std::ranges::set_difference(after, before, std::back_inserter(matches.onlyAfter));
  for (const std::string& build : before)
    if (std::ranges::binary_search(after, build)) matches.pairs.emplace_back(build, build);
  const auto byProduct = [](const std::vector<std::string>& builds) {
    std::map<std::string, std::vector<std::string>> products;
    for (const std::string& build : builds) products[productOf(build)].push_back(build);
    return products;
  };
  const auto later = byProduct(matches.onlyAfter);
  for (const auto& [product, builds] : byProduct(matches.onlyBefore)) {
    const auto same = later.find(product);
    if (same == later.end() || builds.size() != 1 || same->second.size() != 1) continue;
    matches.pairs.emplace_back(builds.front(), same->second.front());
    std::erase(matches.onlyBefore, builds.front());
    std::erase(matches.onlyAfter, same->second.front());
  }
  return matches;
}

Result<RunComparison> compareRuns(const Archive& archive, std::string_view before,
                                  std::string_view after) {
  ASSIGN_OR_RETURN(auto first, findRun(archive, before));
  ASSIGN_OR_RETURN(auto second, findRun(archive, after));
  return compareWithSpeed(archive, std::move(first), std::move(second));
}

Result<RunComparison> compareWithRunBefore(const Archive& archive, std::string_view name) {
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  ASSIGN_OR_RETURN(auto run, findRun(archive, name));
  ASSIGN_OR_RETURN(auto before, runBefore(archive, runs, run));
  if (!before)
    return notFound("before run '{}' the archive has none of the kind '{}' to compare it with",
                    run.id, run.kind);
  return compareWithSpeed(archive, *std::move(before), std::move(run));
}

Result<RunComparison> compareRuns(const Archive& archive, RunRecord before, RunRecord after,
                                  int64_t most) {
  RunComparison comparison{std::move(before), std::move(after), {}, {}, {}};
  ASSIGN_OR_RETURN(auto oldBuilds, buildsOfRun(archive, comparison.before.id));
  ASSIGN_OR_RETURN(auto newBuilds, buildsOfRun(archive, comparison.after.id));
  comparison.builds = matchBuilds(std::move(oldBuilds), std::move(newBuilds));
  RunDifference& total = comparison.total;
  for (const auto& [was, is] : comparison.builds.pairs) {
    ASSIGN_OR_RETURN(auto one, compareOutcomesOf(archive, {comparison.before.id, was},
                                                 {comparison.after.id, is}, most));
    total.both += one.both;
    total.onlyBefore += one.onlyBefore;
    total.onlyAfter += one.onlyAfter;
    total.broken += one.broken;
    total.mended += one.mended;
    std::ranges::move(one.changes, std::back_inserter(total.changes));
  }
  std::ranges::stable_sort(total.changes, {},
                           [](const ChangedPair& pair) { return isSuccess(pair.after.outcome); });
  if (static_cast<int64_t>(total.changes.size()) > most) total.changes.resize(most);
  return comparison;
}

int64_t RunComparison::slower() const {
  if (!speed) return 0;
  return std::ranges::count_if(speed->judgement.findings,
                               [](const SpeedFinding& finding) { return !finding.isDeclared(); });
}

Result<std::optional<RunRecord>> runBefore(const Archive& archive, std::span<const RunRecord> runs,
                                           const RunRecord& run) {
  for (auto one = runs.rbegin(); one != runs.rend(); ++one) {
    if (one->id >= run.id || one->kind != run.kind || one->reporter != run.reporter ||
        one->finished.empty())
      continue;
    ASSIGN_OR_RETURN(const auto outcomes, outcomesOfRun(archive, one->id));
    if (outcomes > 0) return *one;
  }
  return std::nullopt;
}

json toJson(const RunComparison& comparison) {
  const auto run = [](const RunRecord& record) {
    return json{{"id", record.id},           {"kind", record.kind},
                {"label", record.label},     {"reporter", record.reporter},
                {"started", record.started}, {"verdict", record.result}};
  };
  json changes = json::array();
  for (const ChangedPair& pair : comparison.total.changes)
    changes.push_back({{"change", isSuccess(pair.after.outcome) ? "mended" : "broken"},
                       {"name", pair.name},
                       {"producer", pair.producer},
                       {"artifact", pair.after.artifact},
                       {"golden", pair.after.golden},
                       {"platform", pair.after.platform},
                       {"mode", pair.after.mode},
                       {"before", outcomeOf(pair.before)},
                       {"after", outcomeOf(pair.after)}});
  json compared = json::array();
  for (const auto& [was, is] : comparison.builds.pairs)
    compared.push_back({{"before", was}, {"after", is}});
  const RunDifference& total = comparison.total;
  json out{{"before", run(comparison.before)},
           {"after", run(comparison.after)},
           {"builds", std::move(compared)},
           {"builds_only_before", comparison.builds.onlyBefore},
           {"builds_only_after", comparison.builds.onlyAfter},
           {"in_both", total.both},
           {"only_before", total.onlyBefore},
           {"only_after", total.onlyAfter},
           {"broken", total.broken},
           {"mended", total.mended},
           {"changes", std::move(changes)}};
  if (comparison.speed) {
    out["measured"] = comparison.speed->judgement.counts.measured;
    out["slower"] = reports::findingsJson(comparison.speed->judgement.findings);
  }
  return out;
}

std::string textOf(const RunComparison& comparison) {
  const RunDifference& total = comparison.total;
  std::string text =
      fmt::format("{} -> {}: of {} pair{} in both, {} broke and {} {} mended\n",
                  comparison.before.id, comparison.after.id, total.both, total.both == 1 ? "" : "s",
                  total.broken, total.mended, total.mended == 1 ? "is" : "are");
  if (total.onlyBefore > 0 || total.onlyAfter > 0)
    text += fmt::format("only before: {}, only after: {}\n", total.onlyBefore, total.onlyAfter);
  const auto apart = [&](const char* where, const std::vector<std::string>& builds) {
    if (builds.empty()) return;
    text +=
        fmt::format("not compared, only {}: {}\n", where, reports::someOf(builds, kShownBuilds));
  };
  apart("before", comparison.builds.onlyBefore);
  apart("after", comparison.builds.onlyAfter);
  std::vector<std::vector<std::string>> lines;
  for (const ChangedPair& pair : total.changes)
    lines.push_back({isSuccess(pair.after.outcome) ? "mended" : "broken", pair.name,
                     pair.after.build, pair.after.platform, pair.after.mode, nameOf(pair.before),
                     nameOf(pair.after)});
  if (comparison.speed) text += textOfSpeed(comparison.speed->judgement);
  if (lines.empty()) return text;
  lines.insert(lines.begin(), {"", "artifact", "build", "platform", "mode", "before", "after"});
  text += "\n" + reports::textTable(lines);
  const auto left = total.broken + total.mended - static_cast<int64_t>(total.changes.size());
  if (left > 0) text += fmt::format("and {} more\n", left);
  return text;
}

}  // namespace vintage::harness

#include <nlohmann/json.hpp>

#include "reports/run_report.h"
#include "reports/run_report_parts.h"

namespace vintage::reports {
namespace {

using Json = nlohmann::ordered_json;

Json jsonOfCells(const RunCounts& counts) {
  Json cells = Json::object();
  for (int cell = 0; cell < kCellCount; ++cell)
    cells[std::string(cellName(static_cast<Cell>(cell)))] = counts.cells[static_cast<size_t>(cell)];
  return cells;
}

Json jsonOfPair(const ReplayedPair& pair) {
  const auto failure = failureClassOf(pair.outcome, pair.stage, pair.detail);
  return Json{{"name", pair.name},
              {"artifact", pair.artifact},
              {"producer", pair.producer},
              {"artifact_build_date", formatDate(pair.artifactBuildDate)},
              {"build", pair.build},
              {"consumer_build_date", formatDate(pair.consumerBuildDate)},
              {"platform", pair.platform},
              {"mode", pair.mode},
              {"promise", pair.promise},
              {"cell", cellName(cellOf(pair))},
              {"outcome", outcomeName(pair.outcome)},
              {"stage", stageName(pair.stage)},
              {"class", failure ? Json(failureClassName(*failure)) : Json()},
              {"detail", pair.detail},
              {"seconds", pair.seconds},
              {"limitation", pair.limitation},
              {"command", pair.command}};
}

void putScope(const RunSummary& summary, Json& report) {
  report["scope"] = summary.scope;
  report["out_of_scope"] = summary.outOfScope;
  report["missing"] = Json::array();
  for (const MissingPart& one : summary.missing) {
    Json missing = one.part;
    missing["promise"] = one.promise;
    report["missing"].push_back(std::move(missing));
  }
  report["same_programs"] = Json::array();
  for (const SameProgram& same : summary.samePrograms)
    report["same_programs"].push_back({{"promise", same.promise},
                                       {"producer", same.producer},
                                       {"build", same.build},
                                       {"builds", same.builds}});
}

Json jsonOfSuspect(const Suspect& suspect) {
  return Json{{"operation", suspect.operation},
              {"failing", suspect.failing},
              {"holding", suspect.holding},
              {"primitives", suspect.primitives},
              {"simplest", suspect.simplest}};
}

}  // namespace

std::string runReportJson(const RunSummary& summary) {
  const RunCounts counts = countPairs(summary);
  const Verdict verdict = verdictOf(summary);
  Json report{{"format", "vintage run report"},
              {"version", 1},
              {"run", summary.run},
              {"kind", summary.kind},
              {"command_line", summary.commandLine},
              {"archive", summary.archive},
              {"today", formatDate(summary.today)},
              {"started", summary.started},
              {"seconds", summary.seconds},
              {"phases", phasesJson(summary.phases)},
              {"verdict", verdictName(verdict)},
              {"exit_status", exitStatus(verdict)},
              {"explanation", explanation(summary, counts, verdict)}};
  Json promises = Json::object();
  for (const std::string& promise : promisesOf(summary))
    promises[promise] = verdictName(verdictOf(summary, promise));
  report["promises"] = promises;
  putScope(summary, report);
  report["counts"] = {{"ran", counts.ran}, {"skipped", summary.skipped.size()}};
  report["counts"]["cells"] = jsonOfCells(counts);
  Json outcomes = Json::object();
  for (const auto& [outcome, count] : counts.outcomes) outcomes[outcomeName(outcome)] = count;
  report["counts"]["outcomes"] = outcomes;
  Json stages = Json::array();
  for (const auto& [key, count] : counts.stages)
    stages.push_back(
        {{"outcome", outcomeName(key.first)}, {"stage", stageName(key.second)}, {"count", count}});
  report["counts"]["not_passed_by_stage"] = stages;
  Json classes = Json::object();
  for (const auto& [failure, count] : counts.failures)
    classes[std::string(failureClassName(failure))] = count;
  report["counts"]["classes"] = classes;
  report["breakages"] = summary.breakages;
  report["unmatched_limitations"] = summary.unmatchedLimitations;
  report["needless_limitations"] = summary.needlessLimitations;
  Json suspects = Json::array();
  for (const Suspect& suspect : summary.suspects) suspects.push_back(jsonOfSuspect(suspect));
  report["suspects"] = suspects;
  report["accuracy"] = accuracyJson(summary.accuracy);
  Json pairs = Json::array();
  for (const ReplayedPair* pair : sortedPairs(summary)) pairs.push_back(jsonOfPair(*pair));
  report["pairs"] = pairs;
  Json skips = Json::array();
  for (const SkippedPair* skip : sortedSkips(summary))
    skips.push_back({{"name", skip->name},
                     {"artifact", skip->artifact},
                     {"build", skip->build},
                     {"platform", skip->platform},
                     {"mode", skip->mode},
                     {"reason", skip->reason},
                     {"declared", skip->declared}});
  report["skipped"] = skips;
  Json places = Json::array();
  for (const auto& [what, place] : summary.places)
    places.push_back({{"what", what}, {"path", place}});
  report["places"] = places;
  // Details come from consumers: bytes that are not UTF-8 are replaced.
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vintage::reports

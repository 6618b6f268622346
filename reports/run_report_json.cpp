#include <nlohmann/json.hpp>

#include "reports/accuracy.h"
#include "reports/run_report.h"
#include "reports/speed_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

using Json = nlohmann::ordered_json;

Json jsonOfCells(const Tally& tally) {
  Json cells = Json::object();
  for (int cell = 0; cell < kCellCount; ++cell)
    cells[std::string(cellName(static_cast<Cell>(cell)))] = tally[static_cast<Cell>(cell)];
  return cells;
}

Json countsByName(const auto& counts, const auto& nameOf) {
  Json named = Json::object();
  for (const auto& [key, count] : counts) named[std::string(nameOf(key))] = count;
  return named;
}

// Details come from consumers: bytes that are not UTF-8 are replaced.
std::string written(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

// Appends a string of JSON; the library writes strings that need more than quotes.
void writeText(std::string_view value, std::string& text) {
  // No early exit, so that the compiler vectorizes the loop.
  bool plain = true;
  for (const char character : value)
    plain &= character >= 0x20 && character < 0x7f && character != '"' && character != '\\';
  if (!plain) {
    text += written(value);
    return;
  }
  text += '"';
  text += value;
  text += '"';
}

// One object of the list "pairs", as dump(1) would write it there.
void writePair(const Pair& pair, std::string& text) {
  const ArtifactRecord& artifact = *pair.artifact;
  const OutcomeRecord& outcome = pair.outcome;
  const auto failure = failureClassOf(outcome);
  const auto put = [&](std::string_view key, std::string_view value) {
    text += "\n   \"";
    text += key;
    text += "\": ";
    writeText(value, text);
    text += ',';
  };
  text += "  {";
  put("name", artifact.name);
  put("artifact", artifact.id);
  put("producer", artifact.producer);
  put("artifact_build_date", formatDate(artifact.buildDate));
  put("build", outcome.build);
  put("consumer_build_date", formatDate(pair.consumerDate));
  put("platform", outcome.platform);
  put("mode", outcome.mode);
  put("promise", pair.promise);
  put("cell", cellName(pair.cell));
  put("outcome", outcomeName(outcome.outcome));
  put("stage", stageName(outcome.stage));
  if (failure)
    put("class", failureClassName(*failure));
  else
    text += "\n   \"class\": null,";
  put("detail", outcome.detail);
  text += "\n   \"seconds\": ";
  text += written(outcome.seconds);
  text += ',';
  put("limitation", outcome.limitation);
  put("command", pair.command);
  text.back() = '\n';
  text += "  }";
}

// Writes pair by pair into the text: a tree of all pairs takes ten times its memory, and most of
// the time of a report.
void writePairs(const std::vector<const Pair*>& pairs, std::string& text) {
  constexpr size_t kUsualPairBytes = 720;
  text.reserve(text.size() + pairs.size() * kUsualPairBytes);
  text += ",\n \"pairs\": [";
  for (const Pair* pair : pairs) {
    text += pair == pairs.front() ? "\n" : ",\n";
    writePair(*pair, text);
  }
  text += pairs.empty() ? "]" : "\n ]";
}

void putScope(const RunSummary& summary, Json& report) {
  const RunScope& scope = summary.scope;
  report["scope"] = scope.text;
  report["out_of_scope"] = scope.leftOut;
  report["missing"] = Json::array();
  for (const MissingPart& one : scope.missing) {
    Json missing = one.part;
    missing["promise"] = one.promise;
    report["missing"].push_back(std::move(missing));
  }
  report["same_programs"] = Json::array();
  for (const SameProgram& same : scope.samePrograms)
    report["same_programs"].push_back({{"promise", same.promise},
                                       {"producer", same.producer},
                                       {"build", same.build},
                                       {"builds", same.builds}});
}

}  // namespace

nlohmann::ordered_json phasesJson(std::span<const RunPhase> phases) {
  auto all = nlohmann::ordered_json::array();
  for (const RunPhase& phase : phases) {
    auto parts = nlohmann::ordered_json::array();
    for (const RunPhase::Part& part : phase.parts)
      parts.push_back({{"part", part.name}, {"busy_seconds", part.busySeconds}});
    all.push_back({{"phase", phase.name}, {"wall_seconds", phase.wallSeconds}, {"parts", parts}});
  }
  return all;
}

std::string runReportJson(const RunSummary& summary) {
  const RunCounts counts = countPairs(summary);
  const auto [verdict, reasons] = conclusionOf(summary, counts);
  Json report{{"format", "vintage run report"},
              {"version", 1},
              {"run", summary.run.id},
              {"kind", summary.run.kind},
              {"command_line", summary.run.commandLine},
              {"archive", summary.archive},
              {"today", formatDate(summary.today)},
              {"started", summary.run.started},
              {"seconds", summary.seconds},
              {"phases", phasesJson(summary.phases)},
              {"verdict", verdictName(verdict)},
              {"exit_status", exitStatus(verdict)},
              {"explanation", reasons.front()},
              {"reasons", reasons}};
  Json promises = Json::object();
  for (const std::string& promise : promisesOf(summary))
    promises[promise] = verdictName(verdictOf(summary, promise));
  report["promises"] = promises;
  if (!summary.run.label.empty()) report["label"] = summary.run.label;
  putScope(summary, report);
  report["counts"] = {{"ran", summary.pairs.size()}, {"skipped", summary.skipped.size()}};
  report["counts"]["cells"] = jsonOfCells(counts.tally);
  report["counts"]["outcomes"] = countsByName(counts.outcomes, &outcomeName);
  Json stages = Json::array();
  for (const auto& [key, count] : counts.stages)
    stages.push_back(
        {{"outcome", outcomeName(key.first)}, {"stage", stageName(key.second)}, {"count", count}});
  report["counts"]["not_passed_by_stage"] = stages;
  report["counts"]["classes"] = countsByName(counts.failures, &failureClassName);
  report["breakages"] = summary.breakages;
  report["unmatched_limitations"] = summary.unmatchedLimitations;
  report["needless_limitations"] = summary.needlessLimitations;
  Json suspects = Json::array();
  for (const Suspect& suspect : summary.suspects)
    suspects.push_back({{"operation", suspect.operation},
                        {"failing", suspect.failing},
                        {"holding", suspect.holding},
                        {"chance", suspect.chance},
                        {"primitives", suspect.primitives},
                        {"simplest", suspect.simplest}});
  report["suspects"] = suspects;
  report["no_suspect"] = noSuspectText(summary);
  if (summary.speed) report["speed"] = toJson(*summary.speed);
  report["accuracy"] = accuracyJson(summary.accuracy);
  Json skips = Json::array();
  for (const Pair* skip : sortedSkips(summary))
    skips.push_back({{"name", skip->artifact->name},
                     {"artifact", skip->artifact->id},
                     {"build", skip->outcome.build},
                     {"platform", skip->outcome.platform},
                     {"mode", skip->outcome.mode},
                     {"reason", skip->outcome.detail},
                     {"declared", isDeclared(*skip)}});
  Json places = Json::array();
  for (const auto& [what, place] : summary.places)
    places.push_back({{"what", what}, {"path", place}});
  // The object is written in three parts: the text before the pairs, the pairs, and the text after.
  constexpr std::string_view kOpen = "{", kClose = "\n}";
  std::string text = written(report);
  text.resize(text.size() - kClose.size());
  writePairs(sortedPairs(summary), text);
  text += ',';
  text.append(written(Json{{"skipped", skips}, {"places", places}}), kOpen.size());
  text += '\n';
  return text;
}

}  // namespace vintage::reports

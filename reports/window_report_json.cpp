#include <fmt/format.h>

#include "reports/window_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

using nlohmann::json;

json placeJson(const Measured::Place& place) {
  return {{"producer", place.producer},
          {"producer_date", formatDate(place.producerDate)},
          {"artifact", place.artifact},
          {"build", place.build},
          {"consumer_date", formatDate(place.consumerDate)}};
}

void put(json& out, const char* field, const std::optional<Measured::Place>& place) {
  if (place) out[field] = placeJson(*place);
}

json brokenJson(const Pair& pair) {
  const ArtifactRecord& artifact = *pair.artifact;
  const OutcomeRecord& outcome = pair.outcome;
  return {{"artifact", artifact.id},
          {"name", artifact.name},
          {"producer", artifact.producer},
          {"producer_date", formatDate(artifact.buildDate)},
          {"build", outcome.build},
          {"consumer_date", formatDate(pair.consumerDate)},
          {"platform", outcome.platform},
          {"mode", outcome.mode},
          {"unexpected_pass", pair.cell == Cell::kUnexpectedPass},
          {"outcome", outcomeName(outcome.outcome)},
          {"stage", stageName(outcome.stage)},
          {"detail", outcome.detail},
          {"limitation", outcome.limitation},
          {"explain", pair.command},
          {"pairs", pair.count}};
}

json ruleJson(const PromiseRule& rule) {
  json formats = json::array();
  for (const auto format : rule.formats) formats.push_back(formatName(format));
  return {{"name", rule.name},   {"direction", promiseName(rule.direction)},
          {"days", rule.days},   {"months", rule.months},
          {"years", rule.years}, {"formats", formats}};
}

json unjudgedJson(const std::map<std::string, int64_t>& counts, const char* name) {
  json out = json::array();
  for (const auto& [what, artifacts] : counts)
    out.push_back({{name, what}, {"artifacts", artifacts}});
  return out;
}

json placesJson(const std::map<PlaceKey, Coverage>& places) {
  json out = json::array();
  for (const auto& [place, coverage] : places)
    out.push_back({{"platform", std::get<0>(place)},
                   {"mode", std::get<1>(place)},
                   {"artifacts", coverage.artifacts},
                   {"covered", coverage.covered},
                   {"has_consumer", coverage.hasConsumer}});
  return out;
}

}  // namespace

json toJson(const WindowReport& report) {
  json out = {{"format", kWindowFormat},
              {"version", kWindowVersion},
              {"policy", report.policy},
              {"today", formatDate(report.today)},
              {"scope",
               {{"platforms", report.scope.platforms},
                {"promises", report.scope.promises},
                {"golden_only", report.scope.goldenOnly}}},
              {"out_of_scope", unjudgedJson(report.outOfScope, "what")},
              {"shards", report.shards},
              {"parts", report.parts},
              {"breakages", report.breakages},
              {"verdict", verdictName(report.verdict())},
              {"exit_status", exitStatus(report.verdict())}};
  for (const auto& [field, member] : kReportCounts) out[field] = report.*member;
  out["promises"] = json::array();
  for (const PromiseReport& promise : report.promises) {
    json one = {{"rule", ruleJson(promise.rule)},
                {"verdict", verdictName(promise.verdict())},
                {"in_scope", promise.inScope},
                {"places", placesJson(promise.places)},
                {"not_comparable", unjudgedJson(promise.notComparable, "reason")},
                {"not_covered", promise.notCovered()},
                {"broken", json::array()},
                {"missing", json::array()}};
    one["pairs"] = promise.tally.total();
    for (const auto& [field, cell] : kPromiseCounts) one[field] = promise.tally[cell];
    for (const Pair& broken : promise.broken) one["broken"].push_back(brokenJson(broken));
    for (const auto& [build, missing] : promise.missing)
      one["missing"].push_back(
          {{"build", build}, {"reason", missing.reason}, {"pairs", missing.pairs}});
    out["promises"].push_back(std::move(one));
  }
  out["measured"] = json::array();
  for (const auto& [key, measured] : report.measured) {
    json one = {{"kind", measured.kind},
                {"name", measured.name},
                {"platform", measured.platform},
                {"pass", measured.pass},
                {"compiled", measured.compiled},
                {"fail", measured.fail}};
    put(one, "oldest_artifact", measured.oldestArtifact);
    put(one, "oldest_consumer", measured.oldestConsumer);
    put(one, "longest_backward", measured.longestBackward);
    put(one, "longest_forward", measured.longestForward);
    out["measured"].push_back(std::move(one));
  }
  out["default_bumps"] = json::array();
  for (const DefaultBump& bump : report.bumps) {
    json one = {{"producer", bump.producer},
                {"producer_date", formatDate(bump.producerDate)},
                {"calling_convention", bump.version},
                {"first_consumer", bump.firstConsumer},
                {"verdict", verdictName(bump.verdict)}};
    if (bump.supportedSince) one["supported_since"] = formatDate(*bump.supportedSince);
    if (bump.earliest) one["earliest"] = formatDate(*bump.earliest);
    out["default_bumps"].push_back(std::move(one));
  }
  return out;
}

}  // namespace vintage::reports

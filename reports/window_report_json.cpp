#include <fmt/format.h>

#include "archive/records/json_fields.h"
#include "reports/speed_report_fields.h"
#include "reports/window_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

using nlohmann::json;

constexpr const char* kWindowFormat = "vintage window";
constexpr int kWindowVersion = 1;

// A listed pair is written with the fields that identify it; the archive has the rest of its
// records.
constexpr auto kPairFields = []<typename Fields>(Fields& fields, auto& pair) {
  ArtifactRecord artifact = pair.artifact ? *pair.artifact : ArtifactRecord();
  auto& outcome = pair.outcome;
  bool unexpectedPass = pair.cell == Cell::kUnexpectedPass;
  fields.required("artifact", artifact.id);
  fields.required("name", artifact.name);
  fields.required("producer", artifact.producer);
  fields.required("producer_date", artifact.buildDate);
  fields.required("build", outcome.build);
  fields.required("consumer_date", pair.consumerDate);
  fields.required("platform", outcome.platform);
  fields.required("mode", outcome.mode);
  fields.required("unexpected_pass", unexpectedPass);
  fields.named("outcome", outcome.outcome, &outcomeName, &parseOutcome);
  fields.named("stage", outcome.stage, &stageName, &parseStage);
  fields.required("detail", outcome.detail);
  fields.required("limitation", outcome.limitation);
  fields.required("explain", pair.command);
  fields.required("pairs", pair.count);
  if constexpr (!Fields::kWrites) {
    outcome.artifact = artifact.id;
    pair.artifact = std::make_shared<const ArtifactRecord>(std::move(artifact));
    pair.cell = unexpectedPass ? Cell::kUnexpectedPass : judge(outcome, false);
  }
};

Result<Promise> parsePromise(std::string_view name) {
  return name == "forward" ? Promise::kForward : Promise::kBackward;
}

Result<Verdict> parseVerdict(std::string_view name) {
  return name == "holds"    ? Verdict::kHolds
         : name == "broken" ? Verdict::kBroken
                            : Verdict::kCannotTell;
}

constexpr auto kRuleFields = []<typename Fields>(Fields& fields, auto& rule) {
  std::vector<std::string> formats;
  if constexpr (Fields::kWrites)
    for (const auto format : rule.formats) formats.push_back(formatName(format));
  fields.required("name", rule.name);
  fields.named("direction", rule.direction, &promiseName, &parsePromise);
  fields.required("days", rule.days);
  fields.required("months", rule.months);
  fields.required("years", rule.years);
  fields.always("formats", formats);
  if constexpr (!Fields::kWrites)
    for (const std::string& name : formats) {
      if (const auto format = parseFormat(name))
        rule.formats.push_back(*format);
      else
        fields.fail("formats", format.error().message);
    }
};

constexpr auto kPlaceFields = [](auto& fields, auto& entry) {
  auto& [platform, mode] = entry.first;
  fields.required("platform", platform);
  fields.required("mode", mode);
  fields.required("artifacts", entry.second.artifacts);
  fields.required("covered", entry.second.covered);
  fields.required("has_consumer", entry.second.hasConsumer);
};

// Few windows have such pairs.
constexpr auto kRareCellFields = [](auto& fields, auto& tally) {
  for (const auto& [name, cell] : {std::pair{"differs_where_it_may", Cell::kPermitted},
                                   {"undecided_pairs", Cell::kNotComparable}})
    fields.optional(name, tally.cells[static_cast<size_t>(cell)]);
};

constexpr auto kPromiseFields = [](auto& fields, auto& promise) {
  fields.always("rule", promise.rule, kRuleFields);
  fields.required("in_scope", promise.inScope);
  fields.entries("places", promise.places, kPlaceFields);
  fields.entries("not_comparable", promise.notComparable, [](auto& one, auto& entry) {
    one.required("reason", entry.first);
    one.required("artifacts", entry.second);
  });
  for (const auto& [name, cell] : {std::pair{"pass", Cell::kPass},
                                   {"compiled", Cell::kCompiled},
                                   {"expected_failures", Cell::kExpectedFailure},
                                   {"unexpected_passes", Cell::kUnexpectedPass},
                                   {"failures", Cell::kFail},
                                   {"unknown", Cell::kUntested}})
    fields.required(name, promise.tally.cells[static_cast<size_t>(cell)]);
  kRareCellFields(fields, promise.tally);
  fields.list("broken", promise.broken, kPairFields);
  fields.list("undecided", promise.undecided, kPairFields);
  fields.entries("missing", promise.missing, [](auto& one, auto& entry) {
    one.required("build", entry.first);
    one.required("reason", entry.second.reason);
    one.required("pairs", entry.second.pairs);
  });
  fields.derived("verdict", verdictName(promise.verdict()));
  fields.derived("not_covered", promise.notCovered());
  fields.derived("pairs", promise.tally.total());
};

constexpr auto kWorkingFields = [](auto& fields, auto& place) {
  fields.required("producer", place.producer);
  fields.required("producer_date", place.producerDate);
  fields.required("artifact", place.artifact);
  fields.required("build", place.build);
  fields.required("consumer_date", place.consumerDate);
};

constexpr auto kMeasuredFields = [](auto& fields, auto& measured) {
  fields.required("kind", measured.kind);
  fields.required("name", measured.name);
  fields.required("platform", measured.platform);
  for (const auto& [name, cell] :
       {std::pair{"pass", Cell::kPass}, {"compiled", Cell::kCompiled}, {"fail", Cell::kFail}})
    fields.required(name, measured.tally.cells[static_cast<size_t>(cell)]);
  kRareCellFields(fields, measured.tally);
  fields.object("oldest_artifact", measured.oldestArtifact, kWorkingFields);
  fields.object("oldest_consumer", measured.oldestConsumer, kWorkingFields);
  fields.object("longest_backward", measured.longestBackward, kWorkingFields);
  fields.object("longest_forward", measured.longestForward, kWorkingFields);
};

constexpr auto kBumpFields = [](auto& fields, auto& bump) {
  fields.required("producer", bump.producer);
  fields.required("producer_date", bump.producerDate);
  fields.required("calling_convention", bump.version);
  fields.required("first_consumer", bump.firstConsumer);
  fields.named("verdict", bump.verdict, &verdictName, &parseVerdict);
  fields.optional("supported_since", bump.supportedSince);
  fields.optional("earliest", bump.earliest);
};

constexpr auto kWindowFields = []<typename Fields>(Fields& fields, auto& report) {
  std::vector<int> parts(report.parts.begin(), report.parts.end());
  std::vector<Measured> measured;
  if constexpr (Fields::kWrites)
    for (const auto& [key, one] : report.measured) measured.push_back(one);
  fields.required("policy", report.policy);
  fields.required("today", report.today);
  fields.always("scope", report.scope, [](auto& scope, auto& chosen) {
    scope.always("platforms", chosen.platforms);
    scope.always("promises", chosen.promises);
    scope.required("golden_only", chosen.goldenOnly);
  });
  fields.entries("out_of_scope", report.outOfScope, [](auto& one, auto& entry) {
    one.required("what", entry.first);
    one.required("artifacts", entry.second);
  });
  fields.required("shards", report.shards);
  fields.always("parts", parts);
  fields.always("breakages", report.breakages);
  fields.required("contents", report.contents);
  fields.required("artifacts", report.artifacts);
  fields.required("consumers", report.consumers);
  fields.required("programs", report.programs);
  fields.required("reused", report.reused);
  fields.required("ran", report.ran);
  fields.required("skipped", report.skipped);
  fields.required("facts_left_out", report.factsLeftOut);
  fields.list("promises", report.promises, kPromiseFields);
  fields.list("measured", measured, kMeasuredFields);
  fields.list("default_bumps", report.bumps, kBumpFields);
  fields.object("speed", report.speed, kSpeedFields);
  const Conclusion conclusion = report.conclusion();
  fields.derived("verdict", verdictName(conclusion.verdict));
  fields.derived("exit_status", exitStatus(conclusion.verdict));
  fields.derived("reasons", conclusion.reasons);
  if constexpr (!Fields::kWrites) {
    for (const int part : parts) {
      report.parts.insert(part);
      if (part < 0 || part >= report.shards)
        fields.fail("parts", fmt::format("{} is no shard of {}", part, report.shards));
    }
    for (Measured& one : measured)
      report.measured[{one.kind, one.name, one.platform}] = std::move(one);
  }
};

}  // namespace

json toJson(const WindowReport& report) {
  json out = JsonFieldWriter::write(report, kWindowFields);
  out["format"] = kWindowFormat;
  out["version"] = kWindowVersion;
  return out;
}

Result<WindowReport> parseWindowReport(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kWindowFormat, kWindowVersion));
  Status status;
  WindowReport report;
  JsonObject read(document, "", status);
  JsonFieldReader fields(read, status);
  kWindowFields(fields, report);
  if (!status) return within(std::string(name), status.error());
  return report;
}

}  // namespace vintage::reports

#include <fmt/format.h>

#include "golden/base/strict_json.h"
#include "reports/window_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

using nlohmann::json;

Measured::Place readPlace(JsonObject& read) {
  Measured::Place place;
  read.required("producer", place.producer);
  read.required("producer_date", place.producerDate);
  read.required("artifact", place.artifact);
  read.required("build", place.build);
  read.required("consumer_date", place.consumerDate);
  read.finish();
  return place;
}

template <typename T>
T parsed(JsonObject& read, const char* field, Result<T> (*parse)(std::string_view)) {
  std::string text;
  read.required(field, text);
  auto value = parse(text);
  if (value) return *value;
  read.fail(read.placeOf(field), value.error().message);
  return T{};
}

Pair readBroken(JsonObject& read) {
  ArtifactRecord artifact;
  Pair pair;
  OutcomeRecord& outcome = pair.outcome;
  bool unexpectedPass = false;
  int pairs = 0;
  read.required("artifact", artifact.id);
  read.required("name", artifact.name);
  read.required("producer", artifact.producer);
  read.required("producer_date", artifact.buildDate);
  read.required("build", outcome.build);
  read.required("consumer_date", pair.consumerDate);
  read.required("platform", outcome.platform);
  read.required("mode", outcome.mode);
  read.required("unexpected_pass", unexpectedPass);
  outcome.outcome = parsed(read, "outcome", &parseOutcome);
  outcome.stage = parsed(read, "stage", &parseStage);
  read.required("detail", outcome.detail);
  read.required("limitation", outcome.limitation);
  read.required("explain", pair.command);
  read.required("pairs", pairs);
  read.finish();
  outcome.artifact = artifact.id;
  pair.artifact = std::make_shared<const ArtifactRecord>(std::move(artifact));
  pair.cell = unexpectedPass ? Cell::kUnexpectedPass : Cell::kFail;
  pair.count = pairs;
  return pair;
}

// Counts go as JSON numbers of 64 bits; the strict reader knows int.
void readCount(JsonObject& read, const json& element, const char* field, int64_t& out) {
  const auto found = element.find(field);
  if (found == element.end() || !found->is_number_integer() || found->get<int64_t>() < 0)
    read.fail(read.placeOf(field), "expected a count");
  else
    out = found->get<int64_t>();
}

void readUnjudged(JsonObject& read, const char* field, const char* name, Status& status,
                  std::map<std::string, int64_t>& out) {
  read.list(field, [&](const json& element, const std::string& place) {
    JsonObject one(element, place, status);
    std::string what;
    one.required(name, what);
    if (element.is_object()) readCount(one, element, "artifacts", out[what]);
  });
}

void readPlaces(JsonObject& read, Status& status, std::map<PlaceKey, Coverage>& out) {
  read.list("places", [&](const json& element, const std::string& place) {
    JsonObject one(element, place, status);
    std::string platform, mode;
    one.required("platform", platform);
    one.required("mode", mode);
    Coverage& coverage = out[{platform, mode}];
    one.required("has_consumer", coverage.hasConsumer);
    if (!element.is_object()) return;
    readCount(one, element, "artifacts", coverage.artifacts);
    readCount(one, element, "covered", coverage.covered);
  });
}

}  // namespace

Result<WindowReport> parseWindowReport(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kWindowFormat, kWindowVersion));
  Status status;
  WindowReport report;
  JsonObject read(document, "", status);
  read.required("policy", report.policy);
  read.required("today", report.today);
  read.object("scope", [&](JsonObject& scope) {
    scope.optional("platforms", report.scope.platforms);
    scope.optional("promises", report.scope.promises);
    scope.required("golden_only", report.scope.goldenOnly);
  });
  readUnjudged(read, "out_of_scope", "what", status, report.outOfScope);
  read.required("shards", report.shards);
  std::vector<int> parts;
  read.optional("parts", parts);
  for (const int part : parts) {
    report.parts.insert(part);
    report.shard = part;
    if (part < 0 || part >= report.shards)
      read.fail("parts", fmt::format("{} is no shard of {}", part, report.shards));
  }
  read.optional("breakages", report.breakages);
  for (const auto& [field, member] : kReportCounts)
    readCount(read, document, field, report.*member);
  read.list("promises", [&](const json& element, const std::string& place) {
    PromiseReport promise;
    JsonObject one(element, place, status);
    one.object("rule", [&](JsonObject& rule) {
      std::string direction;
      rule.required("name", promise.rule.name);
      rule.required("direction", direction);
      rule.required("days", promise.rule.days);
      rule.required("months", promise.rule.months);
      rule.required("years", promise.rule.years);
      std::vector<std::string> formats;
      rule.optional("formats", formats);
      for (const std::string& name : formats)
        if (const auto format = parseFormat(name))
          promise.rule.formats.push_back(*format);
        else
          rule.fail(rule.placeOf("formats"), format.error().message);
      promise.rule.direction = direction == "forward" ? Promise::kForward : Promise::kBackward;
    });
    one.required("in_scope", promise.inScope);
    readPlaces(one, status, promise.places);
    readUnjudged(one, "not_comparable", "reason", status, promise.notComparable);
    for (const auto& [field, cell] : kPromiseCounts)
      if (element.is_object()) readCount(one, element, field, promise.tally[cell]);
    one.list("broken", [&](const json& broken, const std::string& where) {
      JsonObject readOne(broken, where, status);
      promise.broken.push_back(readBroken(readOne));
    });
    one.list("missing", [&](const json& missing, const std::string& where) {
      JsonObject readOne(missing, where, status);
      std::string build;
      MissingBuild known;
      readOne.required("build", build);
      readOne.required("reason", known.reason);
      if (missing.is_object()) readCount(readOne, missing, "pairs", known.pairs);
      promise.missing[build] = known;
    });
    report.promises.push_back(std::move(promise));
  });
  read.list("measured", [&](const json& element, const std::string& place) {
    Measured measured;
    JsonObject one(element, place, status);
    one.required("kind", measured.kind);
    one.required("name", measured.name);
    one.required("platform", measured.platform);
    if (element.is_object()) {
      readCount(one, element, "pass", measured.pass);
      readCount(one, element, "compiled", measured.compiled);
      readCount(one, element, "fail", measured.fail);
    }
    for (auto [field, where] : {std::pair{"oldest_artifact", &measured.oldestArtifact},
                                {"oldest_consumer", &measured.oldestConsumer},
                                {"longest_backward", &measured.longestBackward},
                                {"longest_forward", &measured.longestForward}})
      one.object(field, [&](JsonObject& place) { *where = readPlace(place); });
    report.measured[{measured.kind, measured.name, measured.platform}] = std::move(measured);
  });
  read.list("default_bumps", [&](const json& element, const std::string& place) {
    DefaultBump bump;
    JsonObject one(element, place, status);
    std::string verdict;
    one.required("producer", bump.producer);
    one.required("producer_date", bump.producerDate);
    one.required("calling_convention", bump.version);
    one.required("first_consumer", bump.firstConsumer);
    one.required("verdict", verdict);
    one.optional("supported_since", bump.supportedSince);
    one.optional("earliest", bump.earliest);
    bump.verdict = verdict == "holds"    ? Verdict::kHolds
                   : verdict == "broken" ? Verdict::kBroken
                                         : Verdict::kCannotTell;
    report.bumps.push_back(std::move(bump));
  });
  if (!status) return within(std::string(name), status.error());
  return report;
}

}  // namespace vintage::reports

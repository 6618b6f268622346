#include <fmt/format.h>

#include "golden/base/strict_json.h"
#include "harness/window/report.h"

namespace vintage::harness::window {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "vintage window";
constexpr int kNewestFormatVersion = 1;

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

json brokenJson(const BrokenPair& broken) {
  return {{"artifact", broken.artifact},
          {"name", broken.name},
          {"producer", broken.producer},
          {"producer_date", formatDate(broken.producerDate)},
          {"build", broken.build},
          {"consumer_date", formatDate(broken.consumerDate)},
          {"platform", broken.platform},
          {"mode", broken.mode},
          {"unexpected_pass", broken.unexpectedPass},
          {"outcome", outcomeName(broken.outcome)},
          {"stage", stageName(broken.stage)},
          {"detail", broken.detail},
          {"limitation", broken.limitation},
          {"explain", broken.explain},
          {"pairs", broken.pairs}};
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

BrokenPair readBroken(JsonObject& read) {
  BrokenPair broken;
  read.required("artifact", broken.artifact);
  read.required("name", broken.name);
  read.required("producer", broken.producer);
  read.required("producer_date", broken.producerDate);
  read.required("build", broken.build);
  read.required("consumer_date", broken.consumerDate);
  read.required("platform", broken.platform);
  read.required("mode", broken.mode);
  read.required("unexpected_pass", broken.unexpectedPass);
  broken.outcome = parsed(read, "outcome", &parseOutcome);
  broken.stage = parsed(read, "stage", &parseStage);
  read.required("detail", broken.detail);
  read.required("limitation", broken.limitation);
  read.required("explain", broken.explain);
  int pairs = 0;
  read.required("pairs", pairs);
  broken.pairs = pairs;
  read.finish();
  return broken;
}

json ruleJson(const PromiseRule& rule) {
  json formats = json::array();
  for (const auto format : rule.formats) formats.push_back(formatName(format));
  return {{"name", rule.name},
          {"direction", promiseName(rule.direction)},
          {"days", rule.days},
          {"months", rule.months},
          {"years", rule.years},
          {"formats", formats}};
}

// Counts go as JSON numbers of 64 bits; the strict reader knows int.
void readCount(JsonObject& read, const json& element, const char* field, int64_t& out) {
  const auto found = element.find(field);
  if (found == element.end() || !found->is_number_integer() || found->get<int64_t>() < 0)
    read.fail(read.placeOf(field), "expected a count");
  else
    out = found->get<int64_t>();
}

constexpr std::pair<const char*, int64_t PromiseReport::*> kPromiseCounts[] = {
    {"pairs", &PromiseReport::pairs},
    {"pass", &PromiseReport::pass},
    {"expected_failures", &PromiseReport::expectedFailures},
    {"unexpected_passes", &PromiseReport::unexpectedPasses},
    {"failures", &PromiseReport::failures},
    {"unknown", &PromiseReport::unknown}};
constexpr std::pair<const char*, int64_t WindowReport::*> kReportCounts[] = {
    {"contents", &WindowReport::contents},   {"artifacts", &WindowReport::artifacts},
    {"consumers", &WindowReport::consumers}, {"programs", &WindowReport::programs},
    {"reused", &WindowReport::reused},       {"ran", &WindowReport::ran},
    {"skipped", &WindowReport::skipped},     {"facts_left_out", &WindowReport::factsLeftOut}};

}  // namespace

json toJson(const WindowReport& report) {
  json out = {{"format", kFormat},
              {"version", kNewestFormatVersion},
              {"policy", report.policy},
              {"today", formatDate(report.today)},
              {"shards", report.shards},
              {"parts", report.parts},
              {"breakages", report.breakages},
              {"verdict", verdictName(report.verdict())}};
  for (const auto& [field, member] : kReportCounts) out[field] = report.*member;
  out["promises"] = json::array();
  for (const PromiseReport& promise : report.promises) {
    json one = {{"rule", ruleJson(promise.rule)},
                {"verdict", verdictName(promise.verdict())},
                {"broken", json::array()},
                {"missing", json::array()}};
    for (const auto& [field, member] : kPromiseCounts) one[field] = promise.*member;
    for (const BrokenPair& broken : promise.broken) one["broken"].push_back(brokenJson(broken));
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

Result<WindowReport> parseWindowReport(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(auto document, parseDocument(text, name, kFormat, kNewestFormatVersion));
  Status status;
  WindowReport report;
  JsonObject read(document, "", status);
  read.required("policy", report.policy);
  read.required("today", report.today);
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
      for (const std::string& format : formats)
        promise.rule.formats.push_back(format == "exported"
                                           ? ArtifactRecord::Format::kExported
                                           : ArtifactRecord::Format::kPortableArtifact);
      promise.rule.direction = direction == "forward" ? Promise::kForward : Promise::kBackward;
    });
    for (const auto& [field, member] : kPromiseCounts)
      if (element.is_object()) readCount(one, element, field, promise.*member);
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

}  // namespace vintage::harness::window

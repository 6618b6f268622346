// The pairs behind a cell, and one pair: its message, the module's text, the commands that
// reproduce it.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "archive/store/archive_counts.h"
#include "archive/store/record_json.h"
#include "golden/base/failures.h"
#include "harness/dashboard/pages.h"
#include "harness/replay/plan.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

namespace {

constexpr size_t kShownOfMessage = 300;      // In a list of pairs.
constexpr size_t kMessageBytes = 64 * 1024;  // Where one pair is shown.
constexpr size_t kTextBytes = 512 * 1024;    // A module's.
constexpr size_t kEarlierRuns = 20;
constexpr size_t kShownIdCharacters = 12;

Result<int64_t> afterOf(const PageParameters& parameters) {
  const std::string text = given(parameters, "after");
  if (text.empty()) return 0;
  int64_t after = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), after);
  if (problem != std::errc() || end != text.data() + text.size() || after < 0)
    return usageError("after={} is not a number of pairs; take 'next' of the page before",
                      text.substr(0, 40));
  return after;
}

json commandsOf(const PageContext& context, const ArtifactRecord& record, const std::string& build,
                const std::string& platform, const std::string& mode) {
  const std::string id = record.id.substr(0, kShownIdCharacters);
  const std::string archive = shellWord(context.archiveArgument);
  json commands = json::array();
  const auto add = [&](const char* what, std::string text) {
    commands.push_back({{"what", what}, {"text", std::move(text)}});
  };
  add("Run it again",
      fmt::format("vintage replay --archive {} --id {} --platform {} --mode {} --build {}{}",
                  archive, id, shellWord(withoutEmulation(platform)), shellWord(mode),
                  shellWord(build), isEmulated(platform) ? " --emulate" : ""));
  add("Explain it",
      fmt::format("vintage explain {} --build {} --archive {}", id, shellWord(build), archive));
  add("Print the module", fmt::format("vintage show {} --archive {}", id, archive));
  return commands;
}

}  // namespace

Result<ArtifactRecord> artifactOf(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto id, required(parameters, "artifact"));
  ArtifactFilter filter;
  filter.ids = {id};
  ASSIGN_OR_RETURN(auto records, context.archive.list(filter));
  if (records.empty() || records.back().id != id)
    return notFound("no artifact {} is kept", id.substr(0, 80));
  const auto golden = parameters.find("golden");
  if (golden == parameters.end() || golden->second.empty()) return records.back();
  const auto same =
      std::ranges::find(records.rbegin(), records.rend(), golden->second, &ArtifactRecord::golden);
  return same == records.rend() ? records.back() : *same;
}

Result<json> pairsPage(const PageContext& context, const PageParameters& parameters) {
  OutcomeListing listing;
  ASSIGN_OR_RETURN(listing.build, required(parameters, "build"));
  const auto producer = parameters.find("producer"), primitive = parameters.find("primitive");
  if ((producer == parameters.end()) == (primitive == parameters.end()))
    return usageError("pairs are listed by 'primitive' or by 'producer': give one of them");
  listing.by = producer == parameters.end() ? TallyBy::kPrimitive : TallyBy::kProducer;
  listing.name = producer == parameters.end() ? primitive->second : producer->second;
  listing.platform = given(parameters, "platform");
  listing.mode = given(parameters, "mode");
  listing.most = kPairsOfPage;
  ASSIGN_OR_RETURN(listing.after, afterOf(parameters));
  ASSIGN_OR_RETURN(const auto list, listOutcomes(context.archive, listing));
  json page{{"build", listing.build}, {"total", list.total}, {"pairs", json::array()}};
  for (const ListedOutcome& listed : list.outcomes) {
    json pair = outcomeJson(listed.outcome);
    pair["artifact"] = listed.outcome.artifact;
    pair["golden"] = listed.outcome.golden;
    pair["name"] = listed.name;
    pair["producer"] = listed.producer;
    pair["run"] = listed.outcome.run;
    pair["message"] = cutText(listed.outcome.detail, kShownOfMessage);
    page["pairs"].push_back(std::move(pair));
  }
  const int64_t shown = listing.after + static_cast<int64_t>(list.outcomes.size());
  page["next"] = shown < list.total && !list.outcomes.empty() ? json(shown) : json();
  return page;
}

Result<json> pairPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto record, artifactOf(context, parameters));
  ASSIGN_OR_RETURN(const auto build, required(parameters, "build"));
  const std::string platform = given(parameters, "platform");
  const std::string mode = given(parameters, "mode");
  const std::string golden = given(parameters, "golden");
  const auto speaksOfIt = [&](const OutcomeRecord& outcome) {
    return golden.empty() || outcome.golden.empty() || outcome.golden == golden;
  };

  ASSIGN_OR_RETURN(const auto builds, context.archive.builds());
  std::map<std::string, Date> dates;
  for (const BuildRecord& one : builds) dates[one.name] = one.buildDate;
  if (!dates.contains(build)) return notFound("there is no build '{}'", build.substr(0, 200));

  OutcomeFilter filter;
  filter.artifacts = {record.id};
  ASSIGN_OR_RETURN(auto latest, context.archive.outcomes(filter));
  std::erase_if(latest, [&](const OutcomeRecord& outcome) { return !speaksOfIt(outcome); });
  std::ranges::sort(latest, {}, [&](const OutcomeRecord& outcome) {
    return std::tie(dates[outcome.build], outcome.build, outcome.platform, outcome.mode);
  });
  filter.builds = {build};
  if (!platform.empty()) filter.platforms = {platform};
  if (!mode.empty()) filter.modes = {mode};
  filter.latestOnly = false;
  filter.ownOnly = true;
  ASSIGN_OR_RETURN(auto history, context.archive.outcomes(filter));
  std::erase_if(history, [&](const OutcomeRecord& outcome) { return !speaksOfIt(outcome); });

  json page{{"record", recordJson(record)},
            {"commands", commandsOf(context, record, build, platform, mode)},
            {"history", json::array()},
            {"elsewhere", json::array()}};
  // By run, so by time; the newest first.
  for (auto outcome = history.rbegin();
       outcome != history.rend() && page["history"].size() < kEarlierRuns; ++outcome) {
    json one = outcomeJson(*outcome);
    one["run"] = outcome->run;
    one["seconds"] = outcome->seconds;
    one["message"] = cutText(outcome->detail, kMessageBytes);
    page["history"].push_back(std::move(one));
  }
  for (const OutcomeRecord& outcome : latest) {
    json one = outcomeJson(outcome);
    one["build"] = outcome.build;
    one["date"] = formatDate(dates[outcome.build]);
    page["elsewhere"].push_back(std::move(one));
  }
  return page;
}

json textJson(const ArtifactRecord& record, Result<std::string> text) {
  if (!text)
    return {{"artifact", record.id},
            {"text", ""},
            {"cut", false},
            {"problem", cutText(text.error().message, kMessageBytes)}};
  const bool cut = text->size() > kTextBytes;
  return {{"artifact", record.id}, {"text", cutText(std::move(*text), kTextBytes)}, {"cut", cut}};
}

Result<json> textPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto record, artifactOf(context, parameters));
  auto texts = context.moduleTexts(context.archive, {&record, 1});
  return textJson(record, std::move(texts.front()));
}

}  // namespace vintage::harness

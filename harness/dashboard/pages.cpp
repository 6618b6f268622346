#include "harness/dashboard/pages.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "archive/records/failure_class.h"
#include "archive/records/pair.h"
#include "archive/store/archive_counts.h"
#include "golden/base/failures.h"
#include "golden/base/utf8.h"
#include "harness/judge/tables/target_life.h"
#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

constexpr std::string_view kOfBuild[] = {"build"};
constexpr std::string_view kOfPairs[] = {"build",    "primitive", "producer",
                                         "platform", "mode",      "after"};
constexpr std::string_view kOfPair[] = {"artifact", "golden", "build", "platform", "mode"};
constexpr std::string_view kOfText[] = {"artifact"};
constexpr std::string_view kOfRun[] = {"run"};
constexpr std::string_view kOfSpeed[] = {"build", "beside"};

constexpr PageKind kKinds[] = {
    {"summary", {}, summaryPage},
    {"overview", {}, overviewPage},
    {"column", kOfBuild, columnPage},
    {"matrix", kOfBuild, matrixPage},
    {"pairs", kOfPairs, pairsPage},
    {"pair", kOfPair, pairPage},
    {"text", kOfText, textPage},
    {"targets", {}, targetsPage},
    {"accuracy", kOfRun, accuracyPage},
    {"speed", {}, speedPage},
    {"speed-pair", kOfSpeed, speedPairPage},
    {"health", {}, healthPage},
};

// In the order of the rows: all results of judge().
constexpr Cell kColumns[] = {Cell::kPass,          Cell::kExpectedFailure, Cell::kUnexpectedPass,
                             Cell::kFail,          Cell::kRunnerError,     Cell::kCompiled,
                             Cell::kNotComparable, Cell::kPermitted};

// [name, platform, mode, pass, declared, unexpected, fail, broken, compiled, not comparable,
// differs where it may]; a row omits the zeros at its end that are beyond the broken.
json rowsOf(const std::vector<OutcomeTally>& tallies) {
  std::map<std::tuple<std::string, std::string, std::string>, Tally> rows;
  for (const OutcomeTally& tally : tallies) {
    OutcomeRecord outcome;
    outcome.outcome = tally.outcome;
    if (tally.differs) outcome.detail = kDiffersWhereItMay;
    rows[{tally.name, tally.platform, tally.mode}][judge(outcome, tally.limited)] += tally.count;
  }
  constexpr size_t kLeast = 8;
  json all = json::array();
  for (const auto& [key, counts] : rows) {
    json row{std::get<0>(key), std::get<1>(key), std::get<2>(key)};
    for (const Cell cell : kColumns) row.push_back(counts[cell]);
    while (row.size() > kLeast && row.back() == 0) row.erase(row.size() - 1);
    all.push_back(std::move(row));
  }
  return all;
}

Result<json> tallyPage(const PageContext& context, const PageParameters& parameters, TallyBy by) {
  ASSIGN_OR_RETURN(const auto build, required(parameters, "build"));
  ASSIGN_OR_RETURN(const auto tallies, tallyOutcomes(context.archive, build, by));
  return json{{"build", build}, {"cells", rowsOf(tallies)}};
}

}  // namespace

std::span<const PageKind> pageKinds() { return kKinds; }

const PageKind* findPageKind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &PageKind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

std::string cutText(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  text.resize(wholeCharacters(text, bytes).size());
  return text + "…";
}

Result<std::string> required(const PageParameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return usageError("the parameter '{}' is missing", name);
  return found->second;
}

std::string given(const PageParameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

json outcomeJson(const OutcomeRecord& outcome) {
  const auto failure = failureClassOf(outcome);
  return {{"outcome", outcomeName(outcome.outcome)},
          {"stage", stageName(outcome.stage)},
          {"cell", cellName(judge(outcome))},
          {"class", failure ? json(failureClassName(*failure)) : json()},
          {"limitation", outcome.limitation},
          {"platform", outcome.platform},
          {"mode", outcome.mode}};
}

Result<json> columnPage(const PageContext& context, const PageParameters& parameters) {
  return tallyPage(context, parameters, TallyBy::kPrimitive);
}

Result<json> matrixPage(const PageContext& context, const PageParameters& parameters) {
  return tallyPage(context, parameters, TallyBy::kProducer);
}

// The time spans in which builds with known facts register, list and emit each custom-call target.
Result<json> targetsPage(const PageContext& context, const PageParameters&) {
  ASSIGN_OR_RETURN(const auto builds, ownBuilds(context.archive));
  std::vector<RuntimeDescription> releases;
  std::set<std::string> known;
  for (const BuildRecord& build : builds) {
    const auto& runtime = build.details.runtime;
    // Several builds may be one release; it counts once.
    if (runtime && known.insert(runtime->name).second) releases.push_back(*runtime);
  }
  return targetsJson(std::move(releases));
}

json targetsJson(std::vector<RuntimeDescription> releases) {
  // A release without emission facts would end the life of every target. If no release has them,
  // the registered targets are still worth showing.
  if (std::ranges::any_of(releases, [](const auto& release) { return release.emission.known(); }))
    std::erase_if(releases, [](const auto& release) { return !release.emission.known(); });
  std::ranges::stable_sort(releases, {}, &RuntimeDescription::day);
  json page{{"releases", json::array()},
            {"targets", targetTableJson(targetLives(releases)).at("targets")}};
  for (const RuntimeDescription& release : releases) {
    json one{{"name", release.name}, {"date", formatDate(release.day())}};
    const auto add = [&](const char* name, const VersionRange& range) {
      if (range.known())
        one[name] = {{"oldest", range.oldest},
                     {"newest", range.newest},
                     {"refuses_newer", range.refusesNewer}};
    };
    add("calling_convention", release.callingConvention);
    add("serialization", release.serialization);
    page["releases"].push_back(std::move(one));
  }
  return page;
}

// The distances to the oracle that one run measured, in units in the last place.
Result<json> accuracyPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto id, required(parameters, "run"));
  ASSIGN_OR_RETURN(const auto run, context.archive.run(id));
  const json notes = json::parse(run.verdict, nullptr, false);
  json rows = notes.is_object() ? notes.value("accuracy", json::array()) : json::array();
  return json{{"run", run.id}, {"kind", run.kind}, {"rows", std::move(rows)}};
}

}  // namespace vintage::harness

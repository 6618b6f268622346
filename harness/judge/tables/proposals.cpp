// Declared limitations that outcomes do not need, and how proposals read.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/judge/tables/propose.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr size_t kNamesShown = 3;

// The uses that it covers: "cholesky of float64 on tensorflow-2.21.0, cpu, compiled".
std::string subjectOf(const Limitation& limitation) {
  std::string what = limitation.primitive;
  if (what.empty() && !limitation.producers.empty())
    what = fmt::format("all of {}", fmt::join(limitation.producers, ", "));
  if (what.empty()) what = "artifacts";
  if (!limitation.dtypes.empty()) what += fmt::format(" of {}", fmt::join(limitation.dtypes, ", "));
  if (!limitation.variants.empty())
    what += fmt::format(", {}", fmt::join(limitation.variants, ", "));
  if (!limitation.artifacts.empty()) what += ": " + someOf(limitation.artifacts, kNamesShown);
  return fmt::format("{} on {}, {}, {}", what, fmt::join(limitation.consumers, ", "),
                     fmt::join(limitation.platforms, ", "), fmt::join(limitation.modes, ", "));
}

// Counts the functions that were measured on builds of a limitation of speed.
void countMeasured(const Limitation& limitation, const ConsumerTable& table, Date today,
                   NeedlessLimitation& found) {
  if (!limitation.failureClass || !lists(speedClasses(), *limitation.failureClass)) return;
  std::map<ContentId, const ArtifactRecord*> records;
  for (const SharedRecord& record : table.artifacts) records[record->id] = record.get();
  SpeedReport report;
  report.comparisons = table.measured;
  for (BuildComparison& comparison : report.comparisons)
    for (MeasuredArtifact& one : comparison.artifacts)
      if (const auto record = records.find(one.artifact); record != records.end())
        declareFindings({&limitation, 1}, *record->second, comparison.after, today, one);
  const SpeedJudgement judgement = judgeSpeed(report);
  found.failing = std::ranges::count_if(judgement.findings, &SpeedFinding::isDeclared);
  found.passing = static_cast<int64_t>(judgement.unnecessary.size());
}

// An empty `why`: it is needed.
NeedlessLimitation judged(const Limitation& limitation, const ConsumerTable& table, Date today) {
  NeedlessLimitation found{limitation.id, "", 0, 0};
  if (limitation.until && *limitation.until < formatDate(today)) {
    found.why = "it expired on " + *limitation.until;
    return found;
  }
  countMeasured(limitation, table, today, found);
  for (const Pair& result : table.results) {
    const OutcomeRecord& outcome = result.outcome;
    if (outcome.outcome == OutcomeKind::kRunnerError ||
        !covers(limitation, *result.artifact, outcome.build, outcome.platform, outcome.mode, today))
      continue;
    const auto failure = failureClassOf(outcome);
    if (!failure) ++found.passing;
    if (failure == limitation.failureClass) ++found.failing;
  }
  if (found.failing == 0)
    found.why = found.passing > 0 ? "all that it covers passes" : "nothing that it covers failed";
  else if (found.passing > 0)
    found.why = "it covers what passes too: declare less";
  return found;
}

}  // namespace

std::vector<NeedlessLimitation> needlessAmong(std::span<const Limitation> declared,
                                              const ConsumerTable& table, Date today) {
  std::vector<NeedlessLimitation> needless;
  for (const Limitation& limitation : declared)
    if (auto one = judged(limitation, table, today); !one.why.empty())
      needless.push_back(std::move(one));
  return needless;
}

Result<std::vector<NeedlessLimitation>> needlessLimitations(const Archive& archive, Date today) {
  ASSIGN_OR_RETURN(const auto declared, consumerLimitations(archive));
  ASSIGN_OR_RETURN(const auto builds, archive.builds());
  ConsumerChoice choice;
  for (const BuildRecord& build : builds)
    if (std::ranges::any_of(declared, [&](const Limitation& limitation) {
          return std::ranges::count(limitation.consumers, build.name) > 0;
        }))
      choice.builds.push_back(build.name);
  std::vector<NeedlessLimitation> none;
  if (choice.builds.empty()) return none;
  const auto table = makeConsumerTable(archive, choice);
  if (!table && table.error().kind == Error::Kind::kNothing) return none;
  if (!table) return tl::unexpected<Error>(table.error());
  return needlessAmong(declared, *table, today);
}

std::string needlessText(const NeedlessLimitation& limitation) {
  return fmt::format("{} {}: {} ({} pass, {} fail)",
                     limitation.failing > 0 ? "narrow" : "unnecessary", limitation.id,
                     limitation.why, limitation.passing, limitation.failing);
}

std::string proposalsText(const Proposals& proposals) {
  std::string text;
  for (const Limitation& limitation : proposals.declare) {
    const LimitationEvidence& evidence = limitation.evidence;
    text += fmt::format("declare {}\n  {}\n  {}: {}\n  {} artifact{}, such as {}\n", limitation.id,
                        subjectOf(limitation), failureClassName(*limitation.failureClass),
                        evidence.message, evidence.artifacts, evidence.artifacts == 1 ? "" : "s",
                        evidence.example);
    if (!limitation.issue.empty()) text += fmt::format("  {}\n", limitation.issue);
    text += fmt::format("  until {}\n", limitation.until.value_or("for good"));
  }
  for (const NeedlessLimitation& one : proposals.needless) text += needlessText(one) + "\n";
  text += fmt::format("{} failing outcomes that nothing declares: {} declarations are proposed\n",
                      proposals.failing, proposals.declare.size());
  if (proposals.unclassified > 0)
    text += fmt::format(
        "{} of them are of no class and cannot be declared: "
        "archive/records/failure_classes.json needs a rule\n",
        proposals.unclassified);
  return text;
}

nlohmann::ordered_json proposalsJson(const Proposals& proposals) {
  auto needless = nlohmann::ordered_json::array();
  for (const NeedlessLimitation& one : proposals.needless)
    needless.push_back(
        {{"id", one.id}, {"why", one.why}, {"passing", one.passing}, {"failing", one.failing}});
  return {{"declare", toJson(proposals.declare).at("limitations")},
          {"needless", std::move(needless)},
          {"failing", proposals.failing},
          {"unclassified", proposals.unclassified}};
}

}  // namespace vintage::harness

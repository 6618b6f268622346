#include "harness/bisect/session.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/failure_cause.h"

namespace vintage::harness {
using namespace reports;

namespace {

// In the order of SearchEnding.
constexpr const char* kVerdictNames[] = {"found",          "candidates",     "no good end",
                                         "does not fail",  "good end fails", "end untestable",
                                         "nothing starts", "gave up",        "unsteady"};

constexpr size_t kShownProblems = 12;

std::string behaviourName(const std::string& kind) { return kind.empty() ? "passes" : kind; }

// One build where `many` is 1: "build" / "commit".
std::string noun(const SearchReport& report, size_t many) {
  const std::string one = report.over.substr(0, report.over.size() - 1);
  return many == 1 ? one : report.over;
}

std::string count(const SearchReport& report, size_t many) {
  return fmt::format("{} {}", many, noun(report, many));
}

// Rounded down: only certainty is 100 %.
std::string percentOf(double confidence) {
  return fmt::format("{:.2f} %", std::floor(confidence * 1e4) / 100);
}

std::string verdictLine(const SearchReport& report) {
  const SearchConclusion& found = report.conclusion;
  const auto label = [&](size_t position) { return report.labels[position]; };
  const std::string one = noun(report, 1);
  switch (found.verdict) {
    case SearchEnding::kFound:
      return fmt::format("the first bad {} is {} (confidence {})", one,
                         label(found.candidates.front()), percentOf(found.confidence));
    case SearchEnding::kCandidates:
    case SearchEnding::kGaveUp: {
      std::string text =
          fmt::format("the first bad {} is one of these {} (confidence {}); {}:", one,
                      found.candidates.size(), percentOf(found.confidence),
                      found.verdict == SearchEnding::kGaveUp ? "more rounds would narrow it"
                                                             : "no probe separates them");
      for (size_t position : found.candidates) text += "\n  " + label(position);
      return text;
    }
    case SearchEnding::kNoGood:
      return fmt::format(
          "it fails at {} and nothing older that runs passes: there is no good {} "
          "to search from",
          label(found.candidates.back()), one);
    case SearchEnding::kDoesNotFail:
      return fmt::format("it does not fail at {}: there is nothing to search",
                         label(found.bad.value_or(0)));
    case SearchEnding::kGoodEndFails:
      return fmt::format("the good end {} fails: {}", label(found.good.value_or(0)),
                         shortDetail(report.lastDetail[found.good.value_or(0)]));
    case SearchEnding::kEndUntestable:
      return fmt::format("the end {} gives no answer: {}; choose another", label(*found.end),
                         report.lastDetail[*found.end].empty()
                             ? "it passes and fails in turn"
                             : shortDetail(report.lastDetail[*found.end]));
    case SearchEnding::kUnsteady:
      return fmt::format(
          "the first bad {1} cannot be determined: the {0} that seemed to be the last good and the "
          "first bad one do not differ when they are asked side by side; the failure depends on "
          "the time or the machine, not on the {1}",
          report.over, one);
    case SearchEnding::kNothingStarts:
      return fmt::format("none of {} can be started", count(report, report.names.size()));
  }
  return "";
}

nlohmann::json namesOf(const SearchReport& report, const std::vector<size_t>& positions) {
  nlohmann::json names = nlohmann::json::array();
  for (size_t position : positions) names.push_back(report.names[position]);
  return names;
}

// Why each did not start or build.
nlohmann::json problemsOf(const SearchReport& report) {
  nlohmann::json problems = nlohmann::json::object();
  for (size_t position : report.conclusion.notStarted)
    problems[report.names[position]] = report.lastDetail[position].empty()
                                           ? "it cannot be started here"
                                           : shortDetail(report.lastDetail[position]);
  return problems;
}

}  // namespace

int exitStatus(const SearchConclusion& found, bool goodWasNamed, bool badWasNamed) {
  constexpr int kHolds = 0, kDoesNotHold = 1, kWrongCall = 2, kCannotTell = 3, kNothingRan = 4;
  switch (found.verdict) {
    case SearchEnding::kFound:
      return kDoesNotHold;
    case SearchEnding::kDoesNotFail:
      return badWasNamed ? kWrongCall : kHolds;
    case SearchEnding::kGoodEndFails:
      return goodWasNamed ? kWrongCall : kCannotTell;
    case SearchEnding::kNothingStarts:
      return kNothingRan;
    default:
      return kCannotTell;
  }
}

nlohmann::json toJson(const SearchReport& report) {
  const SearchConclusion& found = report.conclusion;
  nlohmann::json transitions = nlohmann::json::array();
  for (const Transition& one : found.transitions)
    transitions.push_back({{"after", report.names[one.after]},
                           {"at", report.names[one.at]},
                           {"from", behaviourName(one.from)},
                           {"to", behaviourName(one.to)},
                           {"exact", one.exact}});
  nlohmann::json json{{"over", report.over},
                      {"positions", report.names.size()},
                      {"verdict", kVerdictNames[static_cast<size_t>(found.verdict)]},
                      {"kind", found.kind},
                      {"other_kinds", found.otherKinds},
                      {"failure_rate", found.failureRate},
                      {"candidates", namesOf(report, found.candidates)},
                      {"confidence", found.confidence},
                      {"transitions", transitions},
                      {"flickering", namesOf(report, found.flickering)},
                      {"not_started", namesOf(report, found.notStarted)},
                      {"problems", problemsOf(report)},
                      {"other_failures", namesOf(report, found.otherFailures)},
                      {"rounds", found.rounds},
                      {"rounds_to_culprit", found.roundsToCulprit},
                      {"probes_made", report.probesMade},
                      {"probes_remembered", report.probesRemembered}};
  if (found.good) json["good"] = report.names[*found.good];
  if (found.bad) json["bad"] = report.names[*found.bad];
  if (!report.merge.is_null()) json["merge_of"] = report.merge;
  if (found.verdict == SearchEnding::kFound)
    json["first_bad"] = report.names[found.candidates.front()];
  return json;
}

std::string describe(const SearchReport& report) {
  const SearchConclusion& found = report.conclusion;
  std::string text = verdictLine(report);
  if (!found.kind.empty()) {
    text += fmt::format("\nthe failure: {}", found.kind);
    if (found.failureRate < 1)
      text += fmt::format(", in {:.0f} % of the executions", 100 * found.failureRate);
    if (!found.otherKinds.empty())
      text += fmt::format("\nit also fails in another way there: {}",
                          fmt::join(found.otherKinds, ", "));
  }
  if (!report.remark.empty()) text += "\n" + report.remark;
  if (found.transitions.size() > 1) {
    text += "\nseveral transitions:";
    for (const Transition& one : found.transitions)
      text +=
          fmt::format("\n  {}{}: {} -> {}", report.labels[one.at],
                      one.exact ? "" : fmt::format(" (or since {})", report.labels[one.after + 1]),
                      behaviourName(one.from), behaviourName(one.to));
  }
  const auto skipped = [&](const std::vector<size_t>& positions, const char* what) {
    if (!positions.empty()) text += fmt::format("\n{} {}", count(report, positions.size()), what);
  };
  skipped(found.notStarted, "did not start and were skipped");
  const nlohmann::json problems = problemsOf(report);
  size_t shown = 0;
  for (size_t position : found.notStarted)
    if (shown++ < kShownProblems)
      text += fmt::format("\n  {}: {}", report.labels[position],
                          problems[report.names[position]].get<std::string>());
  if (shown > kShownProblems) text += "\n  …";
  skipped(found.otherFailures, "failed in another way and were skipped");
  skipped(found.flickering, "passed and failed in turn");
  text +=
      fmt::format("\n{} rounds over {}; {} probes now, {} remembered", found.rounds,
                  count(report, report.names.size()), report.probesMade, report.probesRemembered);
  return text;
}

std::string bugReport(const Subject& subject, const std::vector<SearchReport>& searches,
                      const std::string& localization, const std::string& commandLine) {
  std::string text = fmt::format("{} (artifact {}, {}, mode {})\n", subject.record.name,
                                 subject.record.id.substr(0, 12), subject.platform, subject.mode);
  for (const SearchReport& search : searches) {
    const SearchConclusion& found = search.conclusion;
    text += "\n" + describe(search) + "\n";
    if (!found.candidates.empty() && !search.lastDetail[found.candidates.back()].empty())
      text +=
          "its message there: " + shortDetail(search.lastDetail[found.candidates.back()]) + "\n";
    if (!found.candidates.empty() && found.candidates.front() > 0 &&
        (found.verdict == SearchEnding::kFound || found.verdict == SearchEnding::kCandidates))
      text += fmt::format("the last good {}: {}\n", noun(search, 1),
                          search.labels[found.candidates.front() - 1]);
  }
  if (!localization.empty()) text += "\n" + localization + "\n";
  return text + fmt::format("\nreproduce: {}\n", commandLine);
}

}  // namespace vintage::harness

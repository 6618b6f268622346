#include "harness/gate/measured.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "golden/base/utf8.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr size_t kLongestMessage = 200;

std::string firstLine(const std::string& text) {
  return shortened(text.substr(0, text.find('\n')), kLongestMessage);
}

// One that the consumer declined, or that broke down with its worker, says nothing.
bool isExecuted(const OutcomeRecord& outcome) {
  return outcome.outcome != OutcomeKind::kUnsupported &&
         outcome.outcome != OutcomeKind::kRunnerError;
}

bool brokeDown(const OutcomeRecord& outcome) {
  return outcome.outcome == OutcomeKind::kError || outcome.outcome == OutcomeKind::kCrash ||
         outcome.outcome == OutcomeKind::kTimeout;
}

// A run that ended in other values did find its target, and what failed for another reason
// confirms nothing.
bool isAsFound(const OutcomeRecord& outcome, const Finding& finding) {
  return brokeDown(outcome) && outcome.detail.find(finding.refused) != std::string::npos;
}

// By id, the names of what others exported, and what the runtime's own release did.
using Names = std::map<ContentId, std::string>;

Names exportsOfOthers(const Finding& finding, const std::string& runtime) {
  Names names;
  for (const ArtifactRecord& artifact : finding.artifacts)
    if (artifact.producer != runtime) names[artifact.id] = artifact.name;
  return names;
}

Result<Names> ownExports(const Change& change, const Finding& finding, const std::string& runtime) {
  ArtifactFilter filter;
  const PlacedTarget target = PlacedTarget::ofInstance(finding.instance);
  if (!target.platform.empty()) filter.customCallTargets = {target.name};
  filter.producers = {runtime};
  ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(filter));
  Names names;
  for (const ArtifactRecord& artifact : artifacts) names[artifact.id] = artifact.name;
  return names;
}

RecordedRuns runsOf(const Finding& finding, const std::string& build, const Names& names,
                    const Names& own, const std::vector<OutcomeRecord>& outcomes) {
  RecordedRuns runs;
  runs.build = build;
  for (const OutcomeRecord& outcome : outcomes) {
    runs.failsAtHome |= own.contains(outcome.artifact) && brokeDown(outcome);
    const auto name = names.find(outcome.artifact);
    if (name == names.end() || !isExecuted(outcome)) continue;
    ++runs.ran;
    if (!isAsFound(outcome, finding) || runs.failed++ > 0) continue;
    runs.artifact = name->second;
    runs.message = firstLine(outcome.detail);
    if (runs.message.empty()) runs.message = outcomeName(outcome.outcome);
  }
  return runs;
}

}  // namespace

Status quoteRuns(const Change& change, Finding& finding) {
  if (finding.artifacts.empty()) return {};
  std::vector<std::string> runtimes = finding.consumers;
  runtimes.insert(runtimes.end(), finding.stillRunsOn.begin(), finding.stillRunsOn.end());
  for (const std::string& runtime : runtimes) {
    const auto builds = change.registeredAs.find(runtime);
    if (builds == change.registeredAs.end()) continue;
    const Names names = exportsOfOthers(finding, runtime);
    ASSIGN_OR_RETURN(const auto own, ownExports(change, finding, runtime));
    for (const std::string& build : builds->second) {
      ASSIGN_OR_RETURN(auto outcomes, change.archive->outcomes(build));
      RecordedRuns runs = runsOf(finding, build, names, own, outcomes);
      if (runs.ran > 0) finding.measured.push_back(std::move(runs));
    }
  }
  return {};
}

std::string measuredText(const Finding& finding, const std::string& indent) {
  std::string out;
  for (const RecordedRuns& one : finding.measured) {
    out += fmt::format("{}measured on {}: {} of {} artifacts fail", indent, one.build, one.failed,
                       one.ran);
    if (one.failed > 0) out += fmt::format("; {}: '{}'", one.artifact, one.message);
    out += one.failsAtHome ? "; its own exports fail there too, so that it shows nothing\n" : "\n";
  }
  return out;
}

namespace {

// A run that shows something went so: with a failure as the finding names it, or without.
bool someRan(const Finding& finding, bool failed) {
  return std::ranges::any_of(finding.measured, [&](const RecordedRuns& one) {
    return (one.failed > 0) == failed && !one.failsAtHome;
  });
}

}  // namespace

bool isConfirmed(const Finding& finding) {
  if (finding.stillRunsOn.empty()) return someRan(finding, true);
  return someRan(finding, false) && !someRan(finding, true);
}

bool isContradicted(const Finding& finding) {
  return !isConfirmed(finding) && someRan(finding, !finding.stillRunsOn.empty());
}

void judgeByRuns(Finding& finding) {
  if (!finding.runsDecide || !isContradicted(finding)) return;
  finding.severity = GateResult::kAllowed;
  finding.message += " It does take both: it ran what was exported in the old way.";
  finding.artifacts.clear();
  finding.consumers.clear();
  finding.legal.reset();
}

}  // namespace vintage::harness

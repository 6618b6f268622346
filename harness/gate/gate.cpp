#include "harness/gate/gate.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/utf8.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::optional<LegalDate> legalDateOf(const std::vector<Finding>& findings) {
  std::optional<LegalDate> latest;
  for (const Finding& finding : findings) {
    if (finding.severity != GateResult::kForbidden || !finding.waiver.empty()) continue;
    if (!finding.legal) return std::nullopt;
    later(latest, *finding.legal);
  }
  return latest;
}

constexpr Rule kRules[] = {
#define RULE(id, severity, summary, source, check) {id, severity, summary, source, check},
#include "harness/gate/rules.inc"
#undef RULE
    {"waiver-expired", GateResult::kForbidden,
     "A waiver that still covers a finding has not expired.", "this tool", nullptr},
    {"waiver-unused", GateResult::kForbidden,
     "A waiver covers a finding; one that covers none is deleted.", "this tool", nullptr},
};

bool saySame(const RuntimeDescription& before, RuntimeDescription after) {
  after.name = before.name;
  after.version = before.version;
  after.buildDate = before.buildDate;
  after.released = before.released;
  after.exporterReleased = before.exporterReleased;
  return after == before;
}

constexpr size_t kLongestMessage = 200;

// An outcome that the consumer declined, or a breakdown of its worker, proves nothing.
bool isExecuted(const OutcomeRecord& outcome) {
  return outcome.outcome != OutcomeKind::kUnsupported &&
         outcome.outcome != OutcomeKind::kRunnerError;
}

bool brokeDown(const OutcomeRecord& outcome) {
  return outcome.outcome == OutcomeKind::kError || outcome.outcome == OutcomeKind::kCrash ||
         outcome.outcome == OutcomeKind::kTimeout;
}

// By id: the names of artifacts of other exporters, or of the runtime's own exports.
using Names = std::map<ContentId, std::string>;

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
    // A run with other values did find its target, and a failure for another reason confirms
    // nothing.
    const bool isAsFound =
        brokeDown(outcome) && outcome.detail.find(finding.refused) != std::string::npos;
    if (!isAsFound || runs.failed++ > 0) continue;
    runs.artifact = name->second;
    runs.message = shortened(outcome.detail.substr(0, outcome.detail.find('\n')), kLongestMessage);
    if (runs.message.empty()) runs.message = outcomeName(outcome.outcome);
  }
  return runs;
}

// Whether a run failed in the finding's way (`failed`), or ran without that failure.
bool someRan(const Finding& finding, bool failed) {
  return std::ranges::any_of(finding.measured, [&](const RecordedRuns& one) {
    return (one.failed > 0) == failed && !one.failsAtHome;
  });
}

}  // namespace

size_t GateVerdict::count(GateResult severity) const {
  return static_cast<size_t>(std::ranges::count_if(findings, [&](const Finding& finding) {
    return finding.severity == severity && finding.waiver.empty();
  }));
}

GateVerdict concluded(std::vector<Finding> findings) {
  GateVerdict verdict;
  for (Finding& finding : findings)
    (finding.severity == GateResult::kAllowed ? verdict.notes : verdict.findings)
        .push_back(std::move(finding));
  verdict.result = verdict.count(GateResult::kForbidden) > 0     ? GateResult::kForbidden
                   : verdict.count(GateResult::kNeedsReview) > 0 ? GateResult::kNeedsReview
                                                                 : GateResult::kAllowed;
  verdict.legal = legalDateOf(verdict.findings);
  return verdict;
}

Result<GateVerdict> judge(const Change& change, const std::vector<Waiver>& waivers) {
  std::vector<Finding> found;
  for (const Rule& rule : gateRules()) {
    if (rule.check == nullptr) continue;
    RETURN_IF_ERROR(within(rule.id, rule.check(change, found)));
  }
  RETURN_IF_ERROR(judgeBuildsBetween(change, found));
  std::ranges::sort(found, {}, [](const Finding& finding) {
    return std::tuple(findRule(finding.rule), finding.instance, finding.message);
  });
  for (Finding& finding : found) {
    RETURN_IF_ERROR(quoteRuns(change, finding));
    judgeByRuns(finding);
  }
  applyWaivers(waivers, change.clock.value_or(change.today), found);
  GateVerdict verdict = concluded(std::move(found));
  if (saySame(change.before, change.after))
    verdict.remark = "the two descriptions differ in names and days only: there is no change";
  verdict.calendar = calendarOf(change);
  return verdict;
}

std::span<const Rule> gateRules() { return kRules; }

const Rule* findRule(std::string_view id) {
  const auto* found = std::ranges::find(kRules, id, &Rule::id);
  return found == std::end(kRules) ? nullptr : found;
}

Status quoteRuns(const Change& change, Finding& finding) {
  if (finding.artifacts.empty()) return {};
  std::vector<std::string> runtimes = finding.consumers;
  runtimes.insert(runtimes.end(), finding.stillRunsOn.begin(), finding.stillRunsOn.end());
  for (const std::string& runtime : runtimes) {
    const auto builds = change.registeredAs.find(runtime);
    if (builds == change.registeredAs.end()) continue;
    Names names;
    for (const ArtifactRecord& artifact : finding.artifacts)
      if (artifact.producer != runtime) names[artifact.id] = artifact.name;
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
    out += fmt::format("{}measured on {}: {} of {} fail{}", indent, one.build, one.failed,
                       counted(one.ran, "artifact"), one.failed == 1 ? "s" : "");
    if (one.failed > 0) out += fmt::format("; {}: '{}'", one.artifact, one.message);
    out += one.failsAtHome ? "; its own exports fail there too: this proves nothing\n" : "\n";
  }
  return out;
}

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
  finding.message += " It accepts both: it ran exports in the old way.";
  finding.artifacts.clear();
  finding.consumers.clear();
  finding.legal.reset();
}

}  // namespace vintage::harness

// NEW measured beside OLD (docs/reference/speed.md), where it was asked for.
#include <algorithm>

#include "harness/gate/rules/rule_support.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr const char* kSlower = "slower-than-before";
constexpr const char* kLarger = "larger-than-before";

void reportFindings(const Change& change, const char* rule, bool isMemory,
                    std::vector<Finding>& findings) {
  for (const SpeedFinding& one : change.speed->judgement.findings) {
    if ((one.measured.quantity == Quantity::kMemory) != isMemory) continue;
    Finding& finding =
        report(findings, rule, {subjectText(one)},
               "It is {} on '{}' than on '{}': {}. {} Measure {} again: {}", one.kind, one.after,
               one.before, reports::measuredText(one),
               one.breaks ? "The policy does not allow it." : "No policy forbids it.", one.smallest,
               one.command);
    finding.ratio = one.measured.ratio;
    if (one.breaks) finding.severity = GateResult::kForbidden;
    if (one.isDeclared())
      finding.waiver = fmt::format("limitation {}: {}", one.limitation, one.reason);
  }
}

// Where a measurement is missing, nothing says that the change is as fast as before.
void reportUnknown(const JudgedSpeed& speed, const Change& change, std::vector<Finding>& findings) {
  const FindingPlace ends{fmt::format("{} -> {}", change.before.name, change.after.name)};
  for (const BuildComparison& one : speed.report.comparisons)
    if (!one.problem.empty())
      report(findings, kSlower, ends, "Not all could be measured: {}", one.problem);
  const SpeedCounts& counts = speed.judgement.counts;
  if (counts.openPromises > 0)
    report(findings, kSlower, ends,
           "{} ratios reach over the policy's bound and are not known well enough; "
           "give --speed-limit more seconds.",
           counts.openPromises);
  if (counts.measured == 0)
    note(findings, kSlower, ends.instance,
         "No artifact of the window that has a golden could be measured on both builds.");
}

}  // namespace

Status checkSlower(const Change& change, std::vector<Finding>& findings) {
  if (!change.speed) return {};
  reportFindings(change, kSlower, false, findings);
  reportUnknown(*change.speed, change, findings);
  for (const UnnecessaryLimitation& one : change.speed->judgement.unnecessary)
    note(findings, "waiver-unused", one.limitation, "Limitation {}", unnecessaryText(one));
  return {};
}

Status checkLarger(const Change& change, std::vector<Finding>& findings) {
  if (change.speed) reportFindings(change, kLarger, true, findings);
  return {};
}

}  // namespace vintage::harness

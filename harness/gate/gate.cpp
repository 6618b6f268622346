#include "harness/gate/gate.h"

#include <algorithm>
#include <tuple>

#include "golden/base/failures.h"
#include "harness/gate/measured.h"
#include "harness/gate/rule.h"

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

}  // namespace

size_t GateVerdict::count(GateResult severity) const {
  return static_cast<size_t>(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
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
    const auto first = static_cast<std::ptrdiff_t>(found.size());
    RETURN_IF_ERROR(within(rule.id, rule.check(change, found)));
    std::sort(found.begin() + first, found.end(), [](const Finding& a, const Finding& b) {
      return std::tie(a.instance, a.message) < std::tie(b.instance, b.message);
    });
  }
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
  const auto found = std::find_if(std::begin(kRules), std::end(kRules),
                                  [&](const Rule& rule) { return rule.id == id; });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace vintage::harness

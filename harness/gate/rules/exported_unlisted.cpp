// The list of guaranteed targets: exports may call only those on it, unless the exporter switched
// the safety check off for the target by name. Each of them needs a golden in the archive, at the
// latest 21 days after it was listed.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr const char* kUnlistedRule = "unlisted-target-exported";
constexpr const char* kGoldenRule = "listed-without-golden";
constexpr size_t kNamesShown = 5;

void judgeRegistered(const Change& change, std::vector<Finding>& findings) {
  for (const RegisteredTarget& target : change.after.targets) {
    if (target.exported != true || change.stable(change.after, target.name) != nullptr) continue;
    const RegisteredTarget* before = change.was(target);
    const bool wasSo = before != nullptr && before->exported == true &&
                       change.stable(change.before, target.name) == nullptr;
    if (wasSo) continue;
    report(findings, kUnlistedRule, placeOf(target),
           "Exports call '{}', which is not on the list of guaranteed targets: exporters must "
           "switch its safety check off. Put it on the list, with a golden, or lower to a target "
           "that is.",
           target.name)
        .severity = GateResult::kNeedsReview;
  }
}

}  // namespace

Status checkUnlistedTargetExported(const Change& change, std::vector<Finding>& findings) {
  judgeRegistered(change, findings);
  ArtifactFilter filter;  // Artifacts exported after the old runtime was built.
  filter.builtFrom = change.before.buildDate + std::chrono::days(1);
  filter.builtUntil = change.today;
  if (*filter.builtFrom > *filter.builtUntil) return {};
  ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(filter));
  std::map<std::string, std::vector<ArtifactRecord>> unchecked;
  for (const ArtifactRecord& artifact : artifacts) {
    if (artifact.format != ArtifactRecord::Format::kExported) continue;
    std::vector<std::string> unlisted;
    for (const std::string& target : artifact.customCallTargets)
      if (change.stable(change.before, target) == nullptr &&
          change.stable(change.after, target) == nullptr)
        unlisted.push_back(target);
    if (unlisted.empty()) continue;
    ASSIGN_OR_RETURN(auto disabled, change.archive->disabledTargets(artifact));
    for (const std::string& target : unlisted)
      if (std::ranges::find(disabled, target) == disabled.end())
        unchecked[target].push_back(artifact);
  }
  for (auto& [target, calling] : unchecked) {
    Finding& finding = report(
        findings, kUnlistedRule, {target, target},
        "{} exported since {} call{} '{}', which is on no list of guaranteed targets, without "
        "having its safety check switched off. Put it on the list, or export with the check "
        "disabled for it.",
        counted(calling.size(), "artifact"), formatDate(*filter.builtFrom),
        calling.size() == 1 ? "s" : "", target);
    finding.artifacts = std::move(calling);
  }
  return {};
}

Status checkListedWithoutGolden(const Change& change, std::vector<Finding>& findings) {
  if (!change.goldensNeeded) return {};
  std::vector<std::string> longOverdue;
  for (const StableTarget& target : change.after.stableTargets) {
    const bool isNew = change.stable(change.before, target.name) == nullptr;
    if (change.hindsight && !isNew) continue;  // Reported when it was listed.
    const Date listed = isNew ? change.today : target.since.value_or(change.before.buildDate);
    const Date deadline = change.forward().plus(listed);
    if (!change.hindsight && change.today <= deadline) continue;

    ArtifactFilter filter;
    filter.customCallTargets = {target.name};
    if (!change.hindsight) filter.builtUntil = change.today;
    ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(filter));
    const auto first = std::ranges::find_if(
        artifacts, [](const ArtifactRecord& record) { return !record.golden.empty(); });
    if (first != artifacts.end() && (!change.hindsight || first->buildDate <= deadline)) continue;
    if (!isNew && deadline < change.before.buildDate) {  // Not caused by this change.
      longOverdue.push_back(target.name);
      continue;
    }

    const LegalDate due = after(listed, "listed", change.forward());
    Finding& finding = report(
        findings, kGoldenRule, {target.name, target.name},
        "'{}' is guaranteed to be stable, and no golden in the archive called it by {}. Archive an "
        "artifact that calls it, with inputs and expected outputs.",
        target.name, due.text());
    if (first != artifacts.end())
      finding.legal = LegalDate{change.forward().consumers(first->buildDate).first,
                                fmt::format("{} (golden {}) - {}", formatDate(first->buildDate),
                                            first->name, change.forward().span())};
  }
  if (!longOverdue.empty())
    note(findings, kGoldenRule, "stable_targets",
         "{} had no golden when {} was built, and {} none now: {}.",
         counted(longOverdue.size(), "guaranteed target"), change.before.name,
         longOverdue.size() == 1 ? "has" : "have", someOf(longOverdue, kNamesShown));
  return {};
}

}  // namespace vintage::harness

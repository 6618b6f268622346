// Exports may call only targets on the list of guaranteed ones, unless the
// exporter switched the safety check off for the target by name.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness::gate {
namespace {

constexpr const char* kUnlistedRule = "unlisted-target-exported";

bool isListed(const Change& change, const std::string& target) {
  return change.stable(change.before, target) != nullptr ||
         change.stable(change.after, target) != nullptr;
}

void judgeRegistered(const Change& change, std::vector<Finding>& findings) {
  for (const RegisteredTarget& target : change.after.targets) {
    if (target.exported != true || change.stable(change.after, target.name) != nullptr) continue;
    const RegisteredTarget* before = change.find(change.before, target.name, target.platform);
    const bool wasSo = before != nullptr && before->exported == true &&
                       change.stable(change.before, target.name) == nullptr;
    if (wasSo) continue;
    Finding finding = findingOf(kUnlistedRule, instanceOf(target),
                                fmt::format("Exports call '{}', which is not on the list of "
                                            "guaranteed targets: whoever exports it has "
                                            "to switch its safety check off. Put it on the list, "
                                            "with a golden, or lower to a target "
                                            "that is.",
                                            target.name));
    finding.severity = GateResult::kNeedsReview;
    pointAt(finding, target.name, false);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

Status checkUnlistedTargetExported(const Change& change, std::vector<Finding>& findings) {
  judgeRegistered(change, findings);
  ArtifactFilter filter;  // What was exported since the runtime that the change starts from.
  filter.builtFrom = change.before.buildDate + std::chrono::days(1);
  filter.builtUntil = change.today;
  if (*filter.builtFrom > *filter.builtUntil) return {};
  ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(filter));
  std::map<std::string, std::vector<ArtifactRecord>> unchecked;
  for (const ArtifactRecord& artifact : artifacts) {
    if (artifact.format != ArtifactRecord::Format::kExported) continue;
    std::vector<std::string> unlisted;
    for (const std::string& target : artifact.customCallTargets)
      if (!isListed(change, target)) unlisted.push_back(target);
    if (unlisted.empty()) continue;
    ASSIGN_OR_RETURN(auto disabled, change.archive->disabledTargets(artifact));
    for (const std::string& target : unlisted)
      if (std::find(disabled.begin(), disabled.end(), target) == disabled.end())
        unchecked[target].push_back(artifact);
  }
  for (auto& [target, calling] : unchecked) {
    Finding finding = findingOf(
        kUnlistedRule, target,
        fmt::format(
            "{} exported since {} call{} '{}', which is on no list of guaranteed targets, without "
            "having its safety check switched off. Put it on the list, or export with the check "
            "disabled for it.",
            artifactCount(calling.size()), formatDate(*filter.builtFrom),
            calling.size() == 1 ? "s" : "", target));
    finding.artifacts = std::move(calling);
    pointAt(finding, target, false);
    findings.push_back(std::move(finding));
  }
  return {};
}

}  // namespace vintage::harness::gate

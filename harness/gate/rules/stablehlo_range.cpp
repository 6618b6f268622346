// The StableHLO version that exports are written at, and the oldest that is read.
#include <fmt/format.h>

#include "archive/records/window_policy.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

// StableHLO's own promise for portable artifacts, to the day that windows give
// it: a consumer of the last day, five years later, still reads the artifact.
Date lastDayOfFiveYears(Date built) {
  return stablehloPolicy().promise(Promise::kBackward).plus(built);
}

}  // namespace

Status checkStablehloTarget(const Change& change, std::vector<Finding>& findings) {
  const StablehloRange &before = change.before.stablehlo, &now = change.after.stablehlo;
  if (!now.target || (before.target && *now.target <= *before.target)) return {};
  ForwardCheck check;
  check.rule = "stablehlo-target-too-new";
  check.instance = "stablehlo";
  check.what = "StableHLO " + formatStablehloVersion(*now.target);
  check.reads = [&](const RuntimeDescription& build) -> std::optional<bool> {
    if (!build.stablehlo.newest) return std::nullopt;
    return *build.stablehlo.newest >= *now.target;
  };
  check.beforeReads = before.newest && *before.newest >= *now.target;
  auto finding = judgeForward(change, check);
  if (!finding) return {};
  if (check.beforeReads && change.forward().consumers(change.today).contains(change.before.day())) {
    ArtifactFilter filter;
    filter.producers = {change.after.name};
    ASSIGN_OR_RETURN(finding->artifacts, change.archive->artifacts(filter));
    finding->stillRunsOn = {change.before.name};
    finding->exporters = {change.after.name};
    finding->refused = "vhlo";
  }
  reportAt("stablehlo", false, std::move(*finding), findings);
  return {};
}

Status checkStablehloMinimum(const Change& change, std::vector<Finding>& findings) {
  const StablehloRange &before = change.before.stablehlo, &now = change.after.stablehlo;
  if (!now.oldest || !before.oldest || *now.oldest <= *before.oldest) return {};
  const Date windowBegins = *windowFilter(change).builtFrom;
  ArtifactFilter filter;
  filter.builtUntil = change.today;
  ASSIGN_OR_RETURN(auto all, change.archive->artifacts(filter));
  std::vector<ArtifactRecord> inWindow, inPolicy;
  for (const ArtifactRecord& artifact : all) {
    const auto version = parseStablehloVersion(artifact.stablehloVersion);
    if (!version || *version >= *now.oldest) continue;
    if (artifact.buildDate >= windowBegins)
      inWindow.push_back(artifact);
    else if (change.today <= lastDayOfFiveYears(artifact.buildDate))
      inPolicy.push_back(artifact);
  }
  std::optional<LegalDate> legal;
  laterThanArtifacts(change, legal, inWindow);
  if (before.target && *before.target < *now.oldest)
    later(legal, outOfWindow(change.before.buildDate,
                             fmt::format("{} exports {}", change.before.name,
                                         formatStablehloVersion(*before.target)),
                             change.backward()));
  const bool forbidden = legal && change.today < legal->date;
  if (!forbidden && inPolicy.empty()) return {};
  std::vector<ArtifactRecord>& broken = forbidden ? inWindow : inPolicy;
  Finding finding = findingOf(
      "stablehlo-minimum-raised", "stablehlo",
      fmt::format("The oldest StableHLO that is read rises from {} to {}; {} {} older.",
                  formatStablehloVersion(*before.oldest), formatStablehloVersion(*now.oldest),
                  artifactCount(broken.size()),
                  forbidden ? fmt::format("inside the {} may be", change.backward().span())
                            : "inside StableHLO's own 5 years are"));
  finding.change = fmt::format("from {} to {}", formatStablehloVersion(*before.oldest),
                               formatStablehloVersion(*now.oldest));
  if (!forbidden) {
    finding.severity = GateResult::kNeedsReview;
    const Date newest = broken.back().buildDate;  // In order of build date.
    legal = LegalDate{lastDayOfFiveYears(newest) + std::chrono::days(1),
                      fmt::format("{} ({}) + 5 years + 1 day", formatDate(newest),
                                  broken.back().name)};
  }
  finding.artifacts = std::move(broken);
  finding.legal = std::move(legal);
  reportAt("stablehlo", false, std::move(finding), findings);
  return {};
}

}  // namespace vintage::harness

#include "harness/gate/change.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::harness::gate {

using std::chrono::days;

const char* gateResultName(GateResult result) {
  switch (result) {
    case GateResult::kAllowed:
      return "allowed";
    case GateResult::kNeedsReview:
      return "needs review";
    case GateResult::kForbidden:
      return "forbidden";
  }
  return "";
}

const RegisteredTarget* Change::find(const RuntimeDescription& in, std::string_view target,
                                     std::string_view platform) const {
  const RegisteredTarget* any = nullptr;
  for (const RegisteredTarget& candidate : in.targets) {
    if (candidate.name != target) continue;
    if (candidate.platform == platform) return &candidate;
    if (candidate.platform == "any") any = &candidate;
  }
  return any;
}

const StableTarget* Change::stable(const RuntimeDescription& in, std::string_view target) const {
  for (const StableTarget& candidate : in.stableTargets)
    if (candidate.name == target) return &candidate;
  return nullptr;
}

const RegisteredTarget* Change::successorOf(std::string_view target) const {
  for (const RuntimeDescription* description : {&after, &before})
    for (const RegisteredTarget& candidate : description->targets)
      if (std::find(candidate.replaces.begin(), candidate.replaces.end(), target) !=
          candidate.replaces.end())
        return &candidate;
  return nullptr;
}

const KnownBuild* Change::firstRelease(Date from, std::string_view target) const {
  for (const KnownBuild& build : builds) {
    if (!build.runtime || build.date < from) continue;
    if (build.targets ? build.hasTarget(target) : build.date > from) return &build;
  }
  return nullptr;
}

const KnownBuild* Change::lastReleaseWith(std::string_view target, Date until) const {
  const KnownBuild* last = nullptr;
  for (const KnownBuild& build : builds)
    if (build.runtime && build.date <= until && build.hasTarget(target)) last = &build;
  return last;
}

std::string instanceOf(const RegisteredTarget& target) {
  return target.platform == "any" ? target.name : target.name + "@" + target.platform;
}

LegalDate after(Date from, std::string_view what, days count) {
  return {from + count, fmt::format("{} ({}) + {} days", formatDate(from), what, count.count())};
}

LegalDate outOfBackwardWindow(Date built, std::string_view what) {
  return after(built, what, kBackwardDays + days(1));
}

LegalDate outOfForwardWindow(Date built, std::string_view what) {
  return after(built, what, kForwardDays + days(1));
}

void later(std::optional<LegalDate>& kept, LegalDate other) {
  if (!kept || kept->date < other.date) kept = std::move(other);
}

Result<std::vector<ArtifactRecord>> artifactsInWindow(const Change& change, std::string_view target,
                                                      std::string_view platform) {
  const DateRange window = backwardWindow(change.today);
  ArtifactFilter filter;
  filter.customCallTargets = {std::string(target)};
  if (platform != "any") filter.platforms = {std::string(platform)};
  filter.builtFrom = window.first;
  filter.builtUntil = window.last;
  return change.archive->artifacts(filter);
}

}  // namespace vintage::harness::gate

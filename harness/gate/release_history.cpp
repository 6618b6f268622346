#include "harness/gate/release_history.h"

#include <algorithm>
#include <set>

#include "golden/base/failures.h"
#include "harness/gate/change.h"
#include "harness/gate/measured.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::vector<std::string> platformsNobodyAsked(const std::vector<RuntimeDescription>& releases) {
  std::set<std::string> unknown;
  for (const RuntimeDescription& release : releases)
    for (const LoweredCases& cases : release.emission.lowered)
      if (cases.lowered > 0) unknown.insert(cases.platform);
  for (const RuntimeDescription& release : releases)
    for (const std::string& platform : release.registries) unknown.erase(platform);
  return {unknown.begin(), unknown.end()};
}

}  // namespace

GateResult JudgedReleases::result() const {
  GateResult worst = GateResult::kAllowed;
  for (const JudgedRelease& step : steps) worst = std::max(worst, step.verdict.result);
  return worst;
}

Result<JudgedReleases> judgeReleases(
    std::vector<RuntimeDescription> releases, ArchivedFacts& archive,
    const std::map<std::string, std::vector<std::string>>& registeredAs) {
  if (releases.size() < 2)
    return usageError(
        "{} release whose facts are known cannot be compared; give two or more "
        "(vintage builds describe BUILD --emitted keeps a build's facts)",
        releases.size());
  sortByDate(releases);
  JudgedReleases judged;
  judged.unknownRegistries = platformsNobodyAsked(releases);
  for (size_t i = 1; i < releases.size(); ++i) {
    Change change;
    change.before = releases[i - 1];
    change.after = releases[i];
    change.today = change.after.day();
    change.builds = releases;
    change.archive = &archive;
    change.registeredAs = registeredAs;
    change.hindsight = true;
    change.goldensNeeded = false;
    ASSIGN_OR_RETURN(auto verdict, within(change.after.name, judge(change, {})));
    // What a single pair lacks was said by none of them; what runs decided was.
    std::erase_if(verdict.notes, [](const Finding& note) { return note.measured.empty(); });
    judged.steps.push_back(
        {change.before.name, change.after.name, change.today, std::move(verdict)});
  }
  judged.releases = std::move(releases);
  return judged;
}

}  // namespace vintage::harness

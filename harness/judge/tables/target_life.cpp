#include "harness/judge/tables/target_life.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "archive/records/custom_call_targets.h"

namespace vintage::harness {
using namespace archive;

namespace {

using Key = std::pair<std::string, std::string>;  // Target, platform.

void extend(std::optional<Span>& span, Date day, const std::string& release) {
  const Span::End end{day, release};
  if (!span) {
    span = Span{end, end, false, false};
    return;
  }
  if (day < span->first.day) span->first = end;
  if (span->last.day < day) span->last = end;
}

// By the releases that were asked: what another one has is not known.
template <typename Asked>
void bound(std::optional<Span>& span, const std::vector<RuntimeDescription>& releases,
           Date (RuntimeDescription::*dayOf)() const, const Asked& asked) {
  if (!span) return;
  for (const RuntimeDescription& release : releases) {
    if (!asked(release)) continue;
    span->began |= (release.*dayOf)() < span->first.day;
    span->ended |= span->last.day < (release.*dayOf)();
  }
}

bool exportsFor(const RuntimeDescription& release, const std::string& platform) {
  return std::ranges::any_of(release.emission.lowered, [&](const LoweredCases& cases) {
    return cases.mode == kEmittedByDefault && cases.platform == platform && cases.lowered > 0;
  });
}

}  // namespace

std::vector<TargetLife> targetLives(const std::vector<RuntimeDescription>& releases) {
  std::map<Key, TargetLife> lives;
  std::map<std::string, std::set<std::string>> platformsOf;  // By target.
  std::set<std::string> asked;
  const auto life = [&](const std::string& name, const std::string& platform) -> TargetLife& {
    if (platform != "any") platformsOf[name].insert(platform);
    TargetLife& one = lives[{name, platform}];
    one.name = name;
    one.platform = platform;
    return one;
  };
  for (const RuntimeDescription& release : releases) {
    asked.insert(release.registries.begin(), release.registries.end());
    for (const RegisteredTarget& target : release.targets)
      extend(life(target.name, target.platform).registered, release.day(), release.name);
    for (const EmittedCall& call : release.emission.calls)
      if (call.mode == kEmittedByDefault)
        extend(life(call.name, call.platform).emitted, release.exporterDay(), release.name);
  }
  for (const RuntimeDescription& release : releases)
    for (const StableTarget& target : release.stableTargets) {
      const auto known = platformsOf.find(target.name);
      const std::set<std::string> platforms =
          known == platformsOf.end() ? std::set<std::string>{"any"} : known->second;
      for (const std::string& platform : platforms)
        extend(life(target.name, platform).listed, release.exporterDay(), release.name);
    }
  std::vector<TargetLife> out;
  for (auto& [key, one] : lives) {
    one.registryKnown = asked.contains(one.platform);
    one.ofCompiler = isKnownToCompiler(one.name);
    bound(one.registered, releases, &RuntimeDescription::day,
          [&](const RuntimeDescription& release) { return release.knowsRegistry(one.platform); });
    bound(one.listed, releases, &RuntimeDescription::exporterDay,
          [](const RuntimeDescription& release) { return !release.stableTargets.empty(); });
    bound(one.emitted, releases, &RuntimeDescription::exporterDay,
          [&](const RuntimeDescription& release) { return exportsFor(release, one.platform); });
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace vintage::harness

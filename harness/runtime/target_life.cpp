#include "harness/runtime/target_life.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "harness/runtime/compiler_targets.h"

namespace vintage::harness::runtime {
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

void bound(std::optional<Span>& span, Date oldest, Date newest) {
  if (!span) return;
  span->began = oldest < span->first.day;
  span->ended = span->last.day < newest;
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
  if (releases.empty()) return {};
  const auto [oldest, newest] = std::ranges::minmax(releases, {}, &RuntimeDescription::day);
  const auto [first, last] = std::ranges::minmax(releases, {}, &RuntimeDescription::exporterDay);
  std::vector<TargetLife> out;
  for (auto& [key, one] : lives) {
    one.registryKnown = asked.contains(one.platform);
    one.ofCompiler = isKnownToCompiler(one.name);
    bound(one.registered, oldest.day(), newest.day());
    bound(one.listed, first.exporterDay(), last.exporterDay());
    bound(one.emitted, first.exporterDay(), last.exporterDay());
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace vintage::harness::runtime

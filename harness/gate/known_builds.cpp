#include "harness/gate/known_builds.h"

#include <algorithm>
#include <set>

#include "archive/records/build_order.h"
#include "archive/records/release_list.h"
#include "golden/base/package_version.h"

namespace vintage::harness::gate {
namespace {

bool isCandidate(const RuntimeDescription& release) {
  const auto version = parsePackageVersion(release.version);
  return !version || version->isPreRelease();
}

}  // namespace

void sortByDate(std::vector<RuntimeDescription>& builds) {
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(a, b); });
}

Result<std::vector<RuntimeDescription>> parseReleases(std::string_view text,
                                                      std::string_view name) {
  ASSIGN_OR_RETURN(auto releases, parseReleaseList(text, name));
  std::erase_if(releases, isCandidate);
  Date lastJaxlibTag{};
  std::set<std::string> jaxlibs;
  for (const RuntimeDescription& release : releases)
    if (release.holdsRuntime()) {
      jaxlibs.insert(release.version);
      lastJaxlibTag = std::max(lastJaxlibTag, release.day());
    }
  std::vector<RuntimeDescription> out = releases;
  for (const RuntimeDescription& release : releases) {
    if (release.holdsRuntime() || release.day() <= lastJaxlibTag ||
        jaxlibs.contains(release.version) || release.packages.minimumJaxlib != release.version)
      continue;
    RuntimeDescription& jaxlib = out.emplace_back(release);
    jaxlib.name = "jaxlib " + release.version;
    jaxlib.packages = {"", release.version, "", {}};
  }
  sortByDate(out);
  return out;
}

RuntimeDescription knownBuild(const BuildRecord& build) {
  RuntimeDescription out;
  out.name = build.name;
  out.version = build.version;
  out.buildDate = build.buildDate;
  out.callingConvention.oldest = build.oldestCallingConvention;
  out.callingConvention.newest = build.newestCallingConvention;
  out.serialization.newest = build.newestSerialization;
  if (auto version = parseStablehloVersion(build.stablehloVersion)) out.stablehlo.newest = *version;
  for (const std::string& target : build.customCallTargets)
    out.stableTargets.push_back({target, {}});
  return out;
}

}  // namespace vintage::harness::gate

#include "harness/runtimes/builds/release_facts.h"

#include <set>

#include "archive/records/build_details.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::optional<StablehloVersion> newestOn(const std::vector<StablehloRelease>& releases, Date date) {
  std::optional<StablehloVersion> newest;
  for (const StablehloRelease& one : releases)
    if (one.date <= date && (!newest || one.version > *newest)) newest = one.version;
  return newest;
}

}  // namespace

BuildRecord factsOf(const RuntimeDescription& runtime,
                    std::optional<StablehloVersion> surelyReads) {
  BuildRecord build;
  build.name = runtime.name;
  build.version = runtime.version;
  build.buildDate = runtime.day();
  build.platforms = runtime.platforms;
  build.modes = runtime.modes;
  build.oldestCallingConvention = runtime.callingConvention.oldest;
  build.newestCallingConvention = runtime.callingConvention.newest;
  build.newestSerialization = runtime.serialization.newest;
  if (runtime.stablehlo.newest)
    build.stablehloVersion = formatStablehloVersion(*runtime.stablehlo.newest);
  std::set<std::string> targets;
  for (const RegisteredTarget& target : runtime.targets) targets.insert(target.name);
  for (const StableTarget& target : runtime.stableTargets) targets.insert(target.name);
  build.customCallTargets.assign(targets.begin(), targets.end());
  build.kind = "facts";
  build.details.runtime = runtime;
  if (surelyReads) build.details.surelyReads = formatStablehloVersion(*surelyReads);
  return build;
}

Result<std::vector<BuildRecord>> parseReleaseFacts(std::string_view text, std::string_view name,
                                                   const std::vector<StablehloRelease>& stablehlo) {
  ASSIGN_OR_RETURN(auto releases, parseReleaseList(text, name));
  std::vector<BuildRecord> builds;
  for (RuntimeDescription& release : releases) {
    release.stablehlo.newest = newestOn(stablehlo, release.day());
    builds.push_back(factsOf(release, newestOn(stablehlo, release.day() - kPinLag)));
  }
  return builds;
}

}  // namespace vintage::harness

#include "harness/runtimes/builds/release_facts.h"

#include <set>

#include <fmt/format.h>

#include "archive/records/build_details.h"
#include "golden/base/failures.h"
#include "golden/base/package_version.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr std::chrono::days kPinLag{30};

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

Result<Pairing> checkPairing(const JaxPackage& jax, const JaxlibPackage& jaxlib) {
  ASSIGN_OR_RETURN(const auto jaxVersion, within("jax", versionNumbers(jax.version)));
  ASSIGN_OR_RETURN(const auto jaxlibVersion, within("jaxlib", versionNumbers(jaxlib.version)));
  using Answer = Pairing::Answer;
  if (jaxlibVersion > jaxVersion)
    return Pairing{Answer::kForbidden,
                   fmt::format("jaxlib {} is newer than jax {}; a jaxlib is used with a jax of its "
                               "own version or a newer one",
                               jaxlib.version, jax.version)};
  if (!jax.minimumJaxlib.empty()) {
    ASSIGN_OR_RETURN(const auto minimum, within("the minimum jaxlib of jax " + jax.version,
                                                versionNumbers(jax.minimumJaxlib)));
    if (jaxlibVersion < minimum)
      return Pairing{Answer::kForbidden,
                     fmt::format("jaxlib {} is older than {}, the minimum that jax {} names",
                                 jaxlib.version, jax.minimumJaxlib, jax.version)};
  }
  if (jax.minimumExtension && jaxlib.extension && *jaxlib.extension < *jax.minimumExtension)
    return Pairing{
        Answer::kForbidden,
        fmt::format("jaxlib {} has extension version {}; the code of jax {} needs {}",
                    jaxlib.version, *jaxlib.extension, jax.version, *jax.minimumExtension)};
  if (jax.minimumJaxlib.empty())
    return Pairing{Answer::kUnknown,
                   fmt::format("the minimum jaxlib of jax {} is not known", jax.version)};
  if (jax.minimumExtension && !jaxlib.extension)
    return Pairing{Answer::kUnknown,
                   fmt::format("jax {} needs extension version {}; that of jaxlib {} is not known",
                               jax.version, *jax.minimumExtension, jaxlib.version)};
  return Pairing{};
}

}  // namespace vintage::harness

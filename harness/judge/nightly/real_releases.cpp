#include "harness/judge/nightly/real_releases.h"

#include <utility>

#include <fmt/format.h>

#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

Result<RegisteredReleases> registerReleases(const EnvironmentRequest& request, Archive& archive,
                                            ProcessHost& host, const NightlyProgress& progress) {
  PythonProgress notes;
  notes.note = [&](const std::string& text) { progress(text, 0, 0); };
  ASSIGN_OR_RETURN(auto report, makeEnvironments(request, {Condition::kWarm}, host, notes));
  RegisteredReleases registered;
  for (const auto& [release, reason] : report.failed)
    registered.breakages.push_back(fmt::format("jax {}: {}", release, reason));
  for (BuildRecord& build : report.builds) {
    RETURN_IF_ERROR(registerBuild(archive, build));
    RealRelease release;
    release.producer = producerName(build);
    release.build = std::move(build);
    registered.releases.push_back(std::move(release));
  }
  return registered;
}

}  // namespace vintage::harness

#include "harness/judge/nightly/real_releases.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

Result<std::vector<RealRelease>> registerReleases(const EnvironmentRequest& request,
                                                  Archive& archive, ProcessHost& host,
                                                  const NightlyProgress& progress,
                                                  std::vector<std::string>& breakages) {
  PythonProgress notes;
  notes.note = [&](const std::string& text) { progress(text, 0, 0); };
  ASSIGN_OR_RETURN(auto report, makeEnvironments(request, {Condition::kWarm}, host, notes));
  for (const auto& [release, reason] : report.failed)
    breakages.push_back(fmt::format("jax {}: {}", release, reason));
  std::vector<RealRelease> releases;
  for (BuildRecord& build : report.builds) {
    RETURN_IF_ERROR(registerBuild(archive, build));
    RealRelease release;
    release.producer = producerName(build);
    release.build = std::move(build);
    releases.push_back(std::move(release));
  }
  return releases;
}

void exportWithRelease(RealRelease& release, const ProduceRequest& request,
                       const ExportWith& exportWith, std::vector<std::string>& breakages) {
  auto report = exportWith(release.build, request);
  if (!report) {
    breakages.push_back(report.error().message);
    return;
  }
  release.exported = report->exported;
  release.added = report->added;
  release.refused = report->refused;
  std::ranges::move(report->problems(), std::back_inserter(breakages));
}

}  // namespace vintage::harness

#include "harness/judge/history/export_and_run.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

// The builds of a release, warm first.
using BuildsOfRelease = std::map<std::string, std::vector<BuildRecord>>;

std::vector<std::string> versionsOf(const std::vector<ExportAndRun>& wanted) {
  std::set<std::string> versions;
  for (const ExportAndRun& one : wanted) {
    versions.insert(one.exporter);
    versions.insert(one.consumers.begin(), one.consumers.end());
  }
  return {versions.begin(), versions.end()};
}

PythonProgress pythonProgress(const std::string& name, const HistoryProgress& progress) {
  return {[&progress](const std::string& text) { progress(text, 0, 0); },
          [&progress, name](const std::string& what, size_t done, size_t total) {
            progress(fmt::format("{}: {}", name, what), done, total);
          }};
}

Result<BuildsOfRelease> registerReleases(const EnvironmentRequest& releases, Archive& archive,
                                         ProcessHost& host, const HistoryProgress& progress,
                                         std::vector<std::string>& problems) {
  ASSIGN_OR_RETURN(auto made, makeEnvironments(releases, {Condition::kWarm, Condition::kFresh},
                                               host, pythonProgress("environments", progress)));
  for (const auto* list : {&made.failed, &made.leftOut})
    for (const auto& [release, reason] : *list)
      problems.push_back(fmt::format("jax {}: {}", release, reason));
  BuildsOfRelease builds;
  for (const BuildRecord& build : made.builds) {
    RETURN_IF_ERROR(registerBuild(archive, build));
    builds[producerName(build)].push_back(build);
  }
  for (auto& [name, conditions] : builds)
    std::ranges::sort(conditions, {}, [&](const BuildRecord& build) {
      return build.name == buildName(name, Condition::kFresh);
    });
  return builds;
}

}  // namespace

Result<std::vector<std::string>> exportAndRun(const std::vector<ExportAndRun>& wanted,
                                              EnvironmentRequest releases, WindowPolicy policy,
                                              Date today, const ReplayOptions& replay,
                                              const std::string& commandLine, Archive& archive,
                                              ProcessHost& host, const HistoryProgress& progress) {
  std::vector<std::string> problems;
  if (wanted.empty()) return problems;
  releases.releases = versionsOf(wanted);
  ASSIGN_OR_RETURN(auto builds, registerReleases(releases, archive, host, progress, problems));
  for (const ExportAndRun& one : wanted) {
    const auto exporter = builds.find("jax " + one.exporter);
    if (exporter == builds.end()) continue;  // Named among the problems.
    ProduceRequest produced;
    for (const std::string& name : one.cases) produced.filters.push_back("name=" + name);
    produced.callingConvention = one.callingConvention;
    const BuildRecord& warm = exporter->second.front();
    auto report = produce(warm, produced, archive, host, pythonProgress(warm.name, progress));
    if (!report) {
      problems.push_back(report.error().message);
      continue;
    }
    std::ranges::move(report->problems(), std::back_inserter(problems));
    for (const ProduceReport::Reason& reason : report->reasons)
      problems.push_back(
          fmt::format("{} cannot export {}: {}", warm.name, reason.example, reason.reason));
    WindowOptions options;
    options.choice.policy = policy;
    options.choice.today = today;
    options.choice.filter.platforms = {"cpu"};
    options.choice.filter.producers = {exporter->first};
    options.choice.modes = {"compiled"};
    options.replay = replay;
    options.commandLine = commandLine;
    for (const std::string& version : one.consumers)
      for (const BuildRecord& build : builds["jax " + version])
        options.consumers.push_back(build.name);
    if (options.consumers.empty()) continue;
    ASSIGN_OR_RETURN(auto ran, runWindow(options, archive, host, progress));
    std::ranges::move(ran.breakages, std::back_inserter(problems));
  }
  return problems;
}

}  // namespace vintage::harness

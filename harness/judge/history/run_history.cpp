#include "harness/judge/history/run_history.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

PythonProgress pythonProgress(const std::string& name, const HistoryProgress& progress) {
  return {[&progress](const std::string& text) { progress(text, 0, 0); },
          [&progress, name](const std::string& what, size_t done, size_t total) {
            progress(fmt::format("{}: {}", name, what), done, total);
          }};
}

class HistoryRun {
 public:
  HistoryRun(const HistoryRequest& request, Archive& archive, ProcessHost& host,
             const HistoryProgress& progress)
      : request_(request), archive_(archive), host_(host), progress_(progress) {}

  Result<std::vector<std::string>> run() {
    RETURN_IF_ERROR(registerAll());
    exportAll();
    // Promised pairs run first, so that an interrupted run has measured them.
    RETURN_IF_ERROR(runWindow(warm_, Beyond::kNothing, filter({})));
    if (!fresh_.empty()) {
      ASSIGN_OR_RETURN(auto targets, calledTargets());
      if (!targets.empty()) RETURN_IF_ERROR(runWindow(fresh_, Beyond::kNothing, filter(targets)));
    }
    RETURN_IF_ERROR(runWindow(warm_, Beyond::kSample, filter({})));
    return std::move(problems_);
  }

  Result<std::vector<std::string>> run(const std::vector<ExportAndRun>& wanted) {
    if (wanted.empty()) return std::move(problems_);
    ASSIGN_OR_RETURN(auto builds, registerWanted(wanted));
    for (const ExportAndRun& one : wanted) {
      const auto exporter = builds.find("jax " + one.exporter);
      if (exporter == builds.end()) continue;  // Named among the problems.
      const BuildRecord& warm = exporter->second.front();
      ProduceRequest produced;
      for (const std::string& name : one.cases) produced.filters.push_back("name=" + name);
      produced.callingConvention = one.callingConvention;
      const auto report = exportFrom(warm, produced, pythonProgress(warm.name, progress_));
      if (!report) continue;
      for (const ProduceReport::Reason& reason : report->reasons)
        problems_.push_back(
            fmt::format("{} cannot export {}: {}", warm.name, reason.example, reason.reason));
      std::vector<BuildRecord> consumers;
      for (const std::string& version : one.consumers)
        std::ranges::copy(builds["jax " + version], std::back_inserter(consumers));
      ArtifactFilter exported;
      exported.platforms = {"cpu"};
      exported.producers = {exporter->first};
      if (!consumers.empty()) RETURN_IF_ERROR(runWindow(consumers, Beyond::kSample, exported));
    }
    return std::move(problems_);
  }

 private:
  Result<EnvironmentsReport> registerReleases(const EnvironmentRequest& releases,
                                              const std::vector<std::string>& conditions,
                                              const PythonProgress& progress) {
    ASSIGN_OR_RETURN(auto report, makeEnvironments(releases, conditions, host_, progress));
    for (const auto& [release, reason] : report.failed)
      problems_.push_back(fmt::format("jax {}: {}", release, reason));
    for (const BuildRecord& build : report.builds) RETURN_IF_ERROR(registerBuild(archive_, build));
    return report;
  }

  static bool isFresh(const BuildRecord& build) {
    return build.name == buildName(producerName(build), Condition::kFresh);
  }

  Status registerAll() {
    std::vector<std::string> conditions{Condition::kWarm};
    if (request_.fresh) conditions.push_back(Condition::kFresh);
    ASSIGN_OR_RETURN(
        const auto report,
        registerReleases(request_.releases, conditions,
                         {[&](const std::string& text) { progress_(text, 0, 0); }, {}}));
    for (const BuildRecord& build : report.builds)
      (isFresh(build) ? fresh_ : warm_).push_back(build);
    std::ranges::sort(
        warm_, {}, [](const BuildRecord& build) { return std::tie(build.buildDate, build.name); });
    return {};
  }

  // The builds of each release, warm first.
  Result<std::map<std::string, std::vector<BuildRecord>>> registerWanted(
      const std::vector<ExportAndRun>& wanted) {
    std::set<std::string> versions;
    for (const ExportAndRun& one : wanted) {
      versions.insert(one.exporter);
      versions.insert(one.consumers.begin(), one.consumers.end());
    }
    EnvironmentRequest releases = request_.releases;
    releases.releases.assign(versions.begin(), versions.end());
    ASSIGN_OR_RETURN(const auto report,
                     registerReleases(releases, {Condition::kWarm, Condition::kFresh},
                                      pythonProgress("environments", progress_)));
    for (const auto& [release, reason] : report.leftOut)
      problems_.push_back(fmt::format("jax {}: {}", release, reason));
    std::map<std::string, std::vector<BuildRecord>> builds;
    for (const BuildRecord& build : report.builds) builds[producerName(build)].push_back(build);
    for (auto& [name, conditions] : builds) std::ranges::sort(conditions, {}, isFresh);
    return builds;
  }

  void exportAll() {
    for (size_t i = 0; i < warm_.size(); ++i) {
      const BuildRecord& release = warm_[i];
      ProduceRequest produced;
      const bool whole = warm_.size() - i <= static_cast<size_t>(std::max(0, request_.whole));
      produced.oneOfEach = whole ? "" : request_.oneOfEach;
      produced.cases = request_.cases;
      produced.filters = request_.filters;
      produced.jobs = request_.replay.workers;
      produced.sandbox = request_.replay.sandbox;
      exportFrom(release, produced,
                 {[&](const std::string& text) { progress_(text, 0, 0); },
                  [&](const std::string& what, size_t done, size_t total) {
                    progress_(
                        fmt::format("{}: {}", release.name, what == "import" ? what : "export"),
                        done, total);
                  }});
    }
  }

  // None where it broke, which is a problem then.
  std::optional<ProduceReport> exportFrom(const BuildRecord& release,
                                          const ProduceRequest& produced,
                                          const PythonProgress& progress) {
    auto report = produce(release, produced, archive_, host_, progress);
    if (!report) {
      problems_.push_back(report.error().message);
      return std::nullopt;
    }
    std::ranges::move(report->problems(), std::back_inserter(problems_));
    return std::move(*report);
  }

  // By what the releases exported for the CPU.
  Result<std::vector<std::string>> calledTargets() const {
    std::set<std::string> targets;
    RETURN_IF_ERROR(archive_.forEach(filter({}), [&](const ArtifactRecord& record) {
      targets.insert(record.customCallTargets.begin(), record.customCallTargets.end());
      return true;
    }));
    return std::vector(targets.begin(), targets.end());
  }

  ArtifactFilter filter(const std::vector<std::string>& targets) const {
    ArtifactFilter filter;
    filter.platforms = {"cpu"};
    filter.customCallTargets = targets;
    for (const BuildRecord& release : warm_) filter.producers.push_back(producerName(release));
    return filter;
  }

  Status runWindow(const std::vector<BuildRecord>& consumers, Beyond beyond,
                   ArtifactFilter artifacts) {
    WindowOptions options;
    options.choice.policy = request_.policy;
    options.choice.today = request_.today;
    options.choice.filter = std::move(artifacts);
    options.choice.modes = {"compiled"};
    options.choice.beyond = beyond;
    options.replay = request_.replay;
    options.commandLine = request_.commandLine;
    for (const BuildRecord& build : consumers) options.consumers.push_back(build.name);
    ASSIGN_OR_RETURN(auto report, harness::runWindow(options, archive_, host_, progress_));
    std::ranges::move(report.breakages, std::back_inserter(problems_));
    return {};
  }

  const HistoryRequest& request_;
  Archive& archive_;
  ProcessHost& host_;
  const HistoryProgress& progress_;
  std::vector<BuildRecord> warm_, fresh_;
  std::vector<std::string> problems_;
};

}  // namespace

Result<std::vector<std::string>> runHistory(const HistoryRequest& request, Archive& archive,
                                            ProcessHost& host, const HistoryProgress& progress) {
  return HistoryRun(request, archive, host, progress).run();
}

Result<std::vector<std::string>> exportAndRun(const std::vector<ExportAndRun>& wanted,
                                              const HistoryRequest& request, Archive& archive,
                                              ProcessHost& host, const HistoryProgress& progress) {
  return HistoryRun(request, archive, host, progress).run(wanted);
}

std::string samplingOf(const HistoryRequest& request) {
  const std::string each =
      request.oneOfEach == "class"
          ? "one for each primitive and class of dtypes (bool, signed, unsigned, floating, "
            "complex; each dtype where a library is called)"
          : "one for each primitive and dtype";
  const std::string whole =
      request.whole > 0 ? fmt::format("; the newest {} export all of them", request.whole) : "";
  const std::string filtered =
      request.filters.empty()
          ? ""
          : fmt::format(" Only cases with {} were exported.", fmt::join(request.filters, ", "));
  const std::string kinds =
      std::ranges::count(request.cases, "all") > 0
          ? ""
          : fmt::format(" Only these kinds were exported: {}.", fmt::join(request.cases, ", "));
  return fmt::format(
      "Each release exports, of JAX's own harnesses, {}{}, functions that those lack, "
      "idioms at sizes up to a million elements, and models. "
      "Inside the promises everything runs on every release; beyond them one artifact of each "
      "primitive, set of targets and producer.{}{}{}",
      each, whole,
      request.fresh ? " Inside the promises, fresh processes run the artifacts that call a target."
                    : "",
      kinds, filtered);
}

}  // namespace vintage::harness

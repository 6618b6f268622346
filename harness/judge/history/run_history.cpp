#include "harness/judge/history/run_history.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

class HistoryRun {
 public:
  HistoryRun(const HistoryRequest& request, Archive& archive, ProcessHost& host,
             const HistoryProgress& progress)
      : request_(request), archive_(archive), host_(host), progress_(progress) {}

  Result<std::vector<std::string>> run() {
    RETURN_IF_ERROR(registerReleases());
    RETURN_IF_ERROR(exportAll());
    // What is promised comes first: a run that is interrupted has measured that.
    RETURN_IF_ERROR(runWindow(warm_, Beyond::kNothing, {}));
    if (!fresh_.empty()) {
      ASSIGN_OR_RETURN(auto targets, calledTargets());
      if (!targets.empty()) RETURN_IF_ERROR(runWindow(fresh_, Beyond::kNothing, targets));
    }
    RETURN_IF_ERROR(runWindow(warm_, Beyond::kSample, {}));
    return std::move(problems_);
  }

 private:
  Status registerReleases() {
    std::vector<std::string> conditions{Condition::kWarm};
    if (request_.fresh) conditions.push_back(Condition::kFresh);
    ASSIGN_OR_RETURN(
        auto report,
        makeEnvironments(request_.releases, conditions, host_,
                         {[&](const std::string& text) { progress_(text, 0, 0); }, {}}));
    for (const auto& [release, reason] : report.failed)
      problems_.push_back(fmt::format("jax {}: {}", release, reason));
    for (const BuildRecord& build : report.builds) {
      RETURN_IF_ERROR(registerBuild(archive_, build));
      const bool fresh = build.name == buildName(producerName(build), Condition::kFresh);
      (fresh ? fresh_ : warm_).push_back(build);
    }
    std::ranges::sort(
        warm_, {}, [](const BuildRecord& build) { return std::tie(build.buildDate, build.name); });
    return {};
  }

  Status exportAll() {
    for (size_t i = 0; i < warm_.size(); ++i) {
      const BuildRecord& release = warm_[i];
      ProduceRequest produced;
      const bool whole = warm_.size() - i <= static_cast<size_t>(std::max(0, request_.whole));
      produced.oneOfEach = whole ? "" : request_.oneOfEach;
      produced.filters = request_.filters;
      produced.jobs = request_.replay.workers;
      auto report = produce(
          release, produced, archive_, host_,
          {[&](const std::string& text) { progress_(text, 0, 0); },
           [&](const std::string& what, size_t done, size_t total) {
             progress_(fmt::format("{}: {}", release.name, what == "import" ? what : "export"),
                       done, total);
           }});
      if (!report) {
        problems_.push_back(report.error().message);
        continue;
      }
      std::ranges::move(report->problems(), std::back_inserter(problems_));
    }
    return {};
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
                   const std::vector<std::string>& targets) {
    WindowOptions options;
    options.choice.policy = request_.policy;
    options.choice.today = request_.today;
    options.choice.filter = filter(targets);
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
  return fmt::format(
      "Each release exports, of JAX's own harnesses, {}{}, and functions of ours that those lack. "
      "Inside the promises everything runs on every release; beyond them one artifact of each "
      "primitive, set of targets and producer.{}{}",
      each, whole,
      request.fresh ? " Fresh processes run what calls a target, inside the promises." : "",
      filtered);
}

}  // namespace vintage::harness

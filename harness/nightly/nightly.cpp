#include "harness/nightly/nightly.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/builds/builds.h"
#include "harness/builds/kept_program.h"
#include "harness/replay/begin_run.h"
#include "harness/replay/declared_limitations.h"
#include "harness/window/window.h"
#include "primitives/limitations.h"

namespace vintage {
namespace {

constexpr size_t kRefusalsTold = 20;

class Night {
 public:
  Night(const NightlyOptions& options, Archive& archive, ProcessHost& host,
        const NightlyProgress& progress)
      : options_(options), archive_(archive), host_(host), progress_(progress),
        limitations_(declaredLimitations()) {}

  Result<NightlyResult> run() {
    const auto start = std::chrono::steady_clock::now();
    for (auto step : {&Night::registerBuild, &Night::beginRun, &Night::generate,
                      &Night::replayBackward, &Night::replayEmulated, &Night::replayForward})
      if (Status status = (this->*step)(); !status) return tl::unexpected<Error>(status.error());
    tellUnmatchedLimitations();
    result_.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  Status registerBuild() {
    auto tonight = registerEngine(archive_, options_.workerProgram, options_.today, host_);
    if (!tonight) return tl::unexpected<Error>(tonight.error());
    tonight_ = std::move(*tonight);
    result_.build = tonight_.name;
    return dropOldWorkerPrograms(archive_, options_.today - kForwardDays);
  }

  Status beginRun() {
    auto id = vintage::beginRun(archive_, options_.replay.archiveArgument, "nightly",
                                options_.commandLine, options_.today, limitations_,
                                result_.summary);
    if (!id) return tl::unexpected<Error>(id.error());
    replay_ = options_.replay;
    replay_.run = *id;
    return {};
  }

  Status generate() {
    std::vector<const Case*> cases;
    for (const Case& one : catalogue())
      if (options_.primitives.empty() ||
          std::find(options_.primitives.begin(), options_.primitives.end(), one.primitive) !=
              options_.primitives.end())
        cases.push_back(&one);
    auto report = generateArtifacts(
        cases, tonight_, replay_.workers, archive_,
        [&](size_t done) { progress_("export", done, cases.size()); });
    if (!report) return tl::unexpected<Error>(report.error());
    for (size_t i = 0; i < std::min(report->refused.size(), kRefusalsTold); ++i)
      result_.summary.breakages.push_back(report->refused[i].message);
    if (report->refused.size() > kRefusalsTold)
      result_.summary.breakages.push_back(fmt::format(
          "{} more cases could not be exported", report->refused.size() - kRefusalsTold));
    result_.generated = std::move(*report);
    return {};
  }

  Status replayOn(const BuildRecord& build, const ArtifactFilter& filter,
                  const std::string& phase, bool emulate = false) {
    auto records = archive_.list(filter);
    if (!records) return tl::unexpected<Error>(records.error());
    if (emulate)
      std::erase_if(*records, [&](const ArtifactRecord& record) {
        return std::find_first_of(record.platforms.begin(), record.platforms.end(),
                                  build.platforms.begin(),
                                  build.platforms.end()) != record.platforms.end();
      });
    ReplayChoice choice;
    choice.mode = options_.mode;
    choice.today = options_.today;
    choice.limitations = limitations_;
    choice.emulate = emulate;
    const ReplayPlan plan = planReplay(*records, build, choice);
    matched_.insert(plan.matchedLimitations.begin(), plan.matchedLimitations.end());
    return replay(
        plan, build, options_.mode, replay_, archive_, host_,
        [&](size_t done, size_t total, const ReplayedPair&) { progress_(phase, done, total); },
        result_.summary);
  }

  Status replayBackward() {
    const DateRange window = backwardWindow(options_.today);
    ArtifactFilter filter;
    filter.builtFrom = window.first;
    filter.builtUntil = window.last;
    filter.platforms = tonight_.platforms;
    filter.primitives = options_.primitives;
    return replayOn(tonight_, filter, "replay the backward window");
  }

  // Those that run here are run already.
  Status replayEmulated() {
    if (!options_.emulate) return {};
    ArtifactFilter filter;
    filter.producers = {tonight_.name};
    filter.primitives = options_.primitives;
    for (const std::string& platform : knownPlatforms())
      if (std::find(tonight_.platforms.begin(), tonight_.platforms.end(), platform) ==
          tonight_.platforms.end())
        filter.platforms.push_back(platform);
    return replayOn(tonight_, filter, "replay for other platforms, emulated", true);
  }

  Status replayForward() {
    auto builds = registeredBuilds(archive_);
    if (!builds) return tl::unexpected<Error>(builds.error());
    StartableBuilds startable =
        startableBuilds(std::move(*builds), forwardWindow(options_.today), tonight_);
    result_.buildsTried = static_cast<int>(startable.builds.size());
    result_.buildsSame = startable.same;
    result_.buildsThatCannotStart = startable.cannotStart;
    replay_.accuracy = nullptr;  // It is tonight's build that is measured.
    ArtifactFilter filter;
    filter.producers = {tonight_.name};
    filter.primitives = options_.primitives;
    for (const BuildRecord& build : startable.builds) {
      if (std::find(build.modes.begin(), build.modes.end(), options_.mode) == build.modes.end())
        continue;
      auto ready = readyToStart(build, archive_.folder(), host_);
      if (!ready) {
        result_.summary.breakages.push_back(ready.error().message);
        continue;
      }
      filter.platforms = build.platforms;
      if (Status status = replayOn(*ready, filter, "replay on " + build.name); !status)
        return status;
    }
    return {};
  }

  // Only the whole catalogue can tell that a limitation matches nothing.
  void tellUnmatchedLimitations() {
    if (!options_.primitives.empty()) return;
    for (const RecordedLimitation& limitation : limitations_) {
      // What is not even tried has no outcome; validateLimitations() has seen
      // that a case of the catalogue is covered.
      if (limitation.skipRun) continue;
      const bool forUs = limitation.platforms.empty() ||
                         std::find_first_of(limitation.platforms.begin(),
                                            limitation.platforms.end(),
                                            tonight_.platforms.begin(),
                                            tonight_.platforms.end()) !=
                             limitation.platforms.end();
      const bool ourMode = limitation.modes.empty() ||
                           std::find(limitation.modes.begin(), limitation.modes.end(),
                                     options_.mode) != limitation.modes.end();
      if (forUs && ourMode && !matched_.contains(limitation.id))
        result_.summary.unmatchedLimitations.push_back(limitation.id);
    }
  }

  const NightlyOptions& options_;
  Archive& archive_;
  ProcessHost& host_;
  const NightlyProgress& progress_;
  const std::vector<RecordedLimitation> limitations_;
  BuildRecord tonight_;
  ReplayOptions replay_;
  std::set<std::string> matched_;
  NightlyResult result_;
};

}  // namespace

Result<NightlyResult> runNightly(const NightlyOptions& options, Archive& archive,
                                 ProcessHost& host, const NightlyProgress& progress) {
  if (Status status = validateLimitations(limitations(), catalogue()); !status)
    return tl::unexpected<Error>(status.error());
  return Night(options, archive, host, progress).run();
}

Status finishNightly(const NightlyResult& result, Archive& archive) {
  return archive.finishRun(result.summary.run, runReportJson(result.summary));
}

}  // namespace vintage

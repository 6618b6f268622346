#include "harness/judge/nightly/nightly.h"

#include <algorithm>

#include <fmt/format.h>

#include "archive/records/build_details.h"
#include "archive/records/window_policy.h"
#include "harness/replay/recorded_run.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "primitives/limitations/limitations.h"
#include "reports/run_notes.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;
using namespace reports;

namespace {

constexpr size_t kRefusalsTold = 20;

bool anyOf(const std::vector<std::string>& declared, const std::vector<std::string>& ours) {
  return declared.empty() || std::ranges::find_first_of(declared, ours) != declared.end();
}

class Night {
 public:
  Night(const NightlyOptions& options, Archive& archive, ProcessHost& host,
        const NightlyProgress& progress)
      : options_(options),
        archive_(archive),
        host_(host),
        progress_(progress),
        phases_(options.replay.phases),
        limitations_(limitations()) {}

  Result<NightlyResult> run() {
    const auto start = std::chrono::steady_clock::now();
    for (auto step : {&Night::registerBuild, &Night::beginRun, &Night::addReleases,
                      &Night::generate, &Night::exportWithReleases, &Night::settleScope,
                      &Night::replayElsewhere, &Night::replayBackward, &Night::replayEmulated,
                      &Night::replayForward, &Night::replayOnReleases, &Night::measureSpeed})
      RETURN_IF_ERROR((this->*step)());
    reportUnmatchedLimitations();
    result_.summary = std::move(run_->summary);
    result_.summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  void beginPhase(const std::string& name) {
    if (phases_) phases_->begin(name);
  }

  Status registerBuild() {
    beginPhase("register the build");
    ASSIGN_OR_RETURN(const auto tonight,
                     registerEngine(archive_, options_.workerProgram, options_.today, host_));
    ASSIGN_OR_RETURN(tonight_, readyToStart(tonight, host_));
    result_.build = tonight_.name;
    result_.platforms = tonight_.platforms;
    result_.forwardWindow =
        options_.replay.policy.promise(Promise::kForward).consumers(options_.today);
    return dropOldWorkerPrograms(archive_, result_.forwardWindow.first);
  }

  Status beginRun() {
    ASSIGN_OR_RETURN(run_, RecordedRun::begin(options_.kind, options_.commandLine, options_.today,
                                              limitations_, options_.replay, archive_, host_));
    return {};
  }

  void broke(std::string what) { run_->summary.breakages.push_back(std::move(what)); }

  Status generate() {
    if (!options_.exportCases) return {};
    beginPhase("export");
    std::vector<const Case*> cases;
    for (const Case& one : catalogue())
      if (admits(options_.primitives, one.primitive) && admits(options_.variants, one.variant) &&
          std::ranges::any_of(one.platforms, [&](const std::string& platform) {
            return admits(options_.platforms, platform);
          }))
        cases.push_back(&one);
    ASSIGN_OR_RETURN(auto report, generateArtifacts(cases, tonight_,
                                                    {.threads = options_.replay.workers,
                                                     .platforms = options_.platforms,
                                                     .phases = phases_},
                                                    archive_, [&](size_t done) {
                                                      progress_("export", done, cases.size());
                                                    }));
    for (size_t i = 0; i < std::min(report.refused.size(), kRefusalsTold); ++i)
      broke(report.refused[i].message);
    if (report.refused.size() > kRefusalsTold)
      broke(fmt::format("{} more cases could not be exported",
                        report.refused.size() - kRefusalsTold));
    result_.exported = true;
    result_.generated = std::move(report);
    return {};
  }

  Status addReleases() {
    if (!options_.releases) return {};
    beginPhase("register real releases");
    PythonProgress notes;
    notes.note = [this](const std::string& text) { progress_(text, 0, 0); };
    ASSIGN_OR_RETURN(auto made,
                     makeEnvironments(*options_.releases, {Condition::kWarm}, host_, notes));
    for (const auto& [release, reason] : made.failed)
      broke(fmt::format("jax {}: {}", release, reason));
    for (BuildRecord& build : made.builds) {
      RETURN_IF_ERROR(harness::registerBuild(archive_, build));
      RealRelease& release = result_.releases.emplace_back();
      release.producer = producerName(build);
      release.build = std::move(build);
    }
    return {};
  }

  Status exportWithReleases() {
    if (!options_.exportCases || result_.releases.empty()) return {};
    beginPhase("export with real releases");
    ProduceRequest request;  // For the CPU.
    // Sizes and models take minutes on an engine that interprets; 'history' measures them.
    request.cases = {"harnesses", "own"};
    request.oneOfEach = "dtype";
    request.jobs = options_.replay.workers;
    request.sandbox = options_.replay.sandbox;
    for (const std::string& primitive : options_.primitives)
      request.filters.push_back("primitive=" + primitive);
    for (const std::string& variant : options_.variants)
      request.filters.push_back("variant=" + variant);
    for (RealRelease& release : result_.releases) {
      auto report = exportWith(release, request);
      if (!report) {
        broke(report.error().message);
        continue;
      }
      release.exported = report->exported;
      release.added = report->added;
      release.refused = report->refused;
      std::ranges::for_each(report->problems(), std::bind_front(&Night::broke, this));
    }
    return {};
  }

  Result<ProduceReport> exportWith(const RealRelease& release, const ProduceRequest& request) {
    if (options_.elsewhere) return options_.elsewhere->exportWith(release.build, request);
    PythonProgress steps;
    steps.step = [&](const std::string& what, size_t done, size_t total) {
      progress_(fmt::format("{} of {}", what == "import" ? what : "export", release.producer), done,
                total);
    };
    return produce(release.build, request, archive_, host_, steps);
  }

  Status replayElsewhere() {
    if (!options_.elsewhere) return {};
    beginPhase("replay elsewhere");
    ASSIGN_OR_RETURN(elsewhere_,
                     options_.elsewhere->replay(result_.releases, run_->summary.run.id));
    if (options_.replay.accuracy != nullptr)
      for (const AccuracyRow& row : elsewhere_->accuracy) options_.replay.accuracy->add(row);
    std::ranges::for_each(elsewhere_->breakages, std::bind_front(&Night::broke, this));
    return {};
  }

  Status settleScope() {
    ASSIGN_OR_RETURN(auto registered, ownBuilds(archive_));
    ASSIGN_OR_RETURN(
        run_->summary.scope,
        harness::settleScope(
            options_, {tonight_, result_.releases, registered, result_.forwardWindow}, archive_));
    return {};
  }

  bool isInScope(Promise promise) const { return options_.scope.hasPromise(promiseName(promise)); }
  static std::vector<std::string> modesOf(const BuildRecord& build,
                                          std::vector<std::string> modes) {
    std::erase_if(modes, [&](const std::string& mode) { return !lists(build.modes, mode); });
    return modes;
  }

  using Unwanted = std::function<bool(const ArtifactRecord&)>;

  Status replayOn(const BuildRecord& build, const ArtifactFilter& filter,
                  const std::vector<std::string>& modes, const std::string& phase,
                  const Unwanted& unwanted = {}, bool emulate = false) {
    beginPhase(phase);
    ASSIGN_OR_RETURN(auto records, archive_.list(filter));
    if (unwanted) std::erase_if(records, unwanted);
    leaveOutUnread(build, records);
    std::erase_if(records, [&](const ArtifactRecord& record) {
      return std::ranges::any_of(
          result_.releases, [&](const RealRelease& release) { return isBeyond(release, record); });
    });
    const std::vector<SharedRecord> shared = shareRecords(std::move(records));
    ReplayChoice choice;
    choice.emulate = emulate;
    choice.scope = options_.scope;
    for (const std::string& mode : modesOf(build, modes)) {
      choice.mode = mode;
      RETURN_IF_ERROR(elsewhere_ ? takeRecorded(shared, build, choice)
                                 : run_->execute(shared, build, choice,
                                                 [&](size_t done, size_t total, const Pair&) {
                                                   progress_(phase, done, total);
                                                 }));
    }
    return {};
  }

  Status takeRecorded(std::span<const SharedRecord> records, const BuildRecord& build,
                      const ReplayChoice& choice) {
    ASSIGN_OR_RETURN(const size_t missing, run_->takeRecorded(records, build, choice));
    // Where a consumer broke its executions are missing, and it is said already.
    if (missing > 0 && elsewhere_->breakages.empty())
      broke(fmt::format("{}: {} executions in mode {} were recorded nowhere", build.name, missing,
                        choice.mode));
    return {};
  }

  // SavedModels wait for a build of TensorFlow, which no night runs.
  void leaveOutUnread(const BuildRecord& build, std::vector<ArtifactRecord>& records) {
    if (readsFormat(build, ArtifactRecord::Format::kSavedModel)) return;
    const auto unread = std::erase_if(records, [](const ArtifactRecord& record) {
      return record.format == ArtifactRecord::Format::kSavedModel;
    });
    constexpr const char* kWhat = "saved models";
    auto& outOfScope = run_->summary.scope.leftOut;
    if (unread > 0 && std::ranges::find(outOfScope, kWhat, &Unjudged::what) == outOfScope.end())
      outOfScope.push_back(
          {kWhat, "no build of this night reads them", static_cast<int64_t>(unread)});
  }

  // Artifacts for a build of these platforms (empty: it did not say), as far as
  // they were chosen; none: nothing is.
  std::optional<ArtifactFilter> filterFor(const std::vector<std::string>& platforms) const {
    ArtifactFilter filter;
    for (const std::string& platform : platforms)
      if (admits(options_.platforms, platform) && options_.scope.hasPlatform(platform))
        filter.platforms.push_back(platform);
    if (platforms.empty())
      filter.platforms = options_.platforms.empty() ? options_.scope.platforms : options_.platforms;
    if (!platforms.empty() && filter.platforms.empty()) return std::nullopt;
    filter.primitives = options_.primitives;
    filter.variants = options_.variants;
    return filter;
  }

  Status replayBackward() {
    const DateRange window =
        options_.replay.policy.promise(Promise::kBackward).producers(options_.today);
    auto filter = filterFor(tonight_.platforms);
    if (!filter || !isInScope(Promise::kBackward)) return {};
    filter->builtFrom = window.first;
    filter->builtUntil = window.last;
    RETURN_IF_ERROR(replayOn(tonight_, *filter, options_.modes, "replay the backward window"));
    // A release that was asked for may be older than any promise.
    filter->builtFrom = filter->builtUntil = std::nullopt;
    for (const RealRelease& release : result_.releases)
      if (!window.contains(release.build.buildDate)) filter->producers.push_back(release.producer);
    if (filter->producers.empty()) return {};
    return replayOn(tonight_, *filter, options_.modes, "replay older real artifacts");
  }

  // Those that run here are run already.
  Status replayEmulated() {
    if (!options_.emulate) return {};
    std::vector<std::string> others;
    for (const std::string& platform : knownPlatforms())
      if (!lists(tonight_.platforms, platform)) others.push_back(platform);
    auto filter = filterFor(others);
    if (!filter) return {};
    filter->producers = {tonight_.name};
    const Unwanted runsHere = [&](const ArtifactRecord& record) {
      return std::ranges::find_first_of(record.platforms, tonight_.platforms) !=
             record.platforms.end();
    };
    return replayOn(tonight_, *filter, options_.modes, "replay for other platforms, emulated",
                    runsHere, true);
  }

  Status replayForward() {
    if (!isInScope(Promise::kForward)) return {};
    ASSIGN_OR_RETURN(auto builds, ownBuilds(archive_));
    std::erase_if(builds, [&](const BuildRecord& build) {  // They run all the same.
      return std::ranges::any_of(result_.releases, [&](const RealRelease& release) {
        return release.build.name == build.name;
      });
    });
    StartableBuilds startable = startableBuilds(std::move(builds), result_.forwardWindow, tonight_);
    result_.buildsTried = static_cast<int>(startable.builds.size());
    result_.buildsSame = startable.same;
    result_.buildsThatCannotStart = startable.cannotStart;
    run_->options.accuracy = nullptr;  // It is tonight's build that is measured.
    for (const BuildRecord& build : startable.builds) {
      auto filter = filterFor(build.platforms);
      if (!filter || modesOf(build, options_.modes).empty()) continue;
      filter->producers = {tonight_.name};
      auto ready = readyToStart(build, host_);
      if (!ready) {
        broke(ready.error().message);
        continue;
      }
      RETURN_IF_ERROR(replayOn(*ready, *filter, options_.modes, "replay on " + build.name));
    }
    return {};
  }

  // Tonight's artifacts run on each release; others only where a promise covers them.
  Status replayOnReleases() {
    for (const RealRelease& release : result_.releases) {
      const BuildRecord& build = release.build;
      const auto filter = filterFor(build.platforms);
      if (!filter) continue;
      const Unwanted unpromised = [&](const ArtifactRecord& record) {
        const auto promise = options_.replay.policy.covers(record.buildDate, build.buildDate);
        return promise ? !isInScope(*promise) : record.producer != tonight_.name;
      };
      RETURN_IF_ERROR(replayOn(build, *filter, build.modes, "replay on " + build.name, unpromised));
    }
    return {};
  }

  Status measureSpeed() {
    if (!options_.speed) return {};
    beginPhase("measure speed");
    RunSummary& summary = run_->summary;
    ASSIGN_OR_RETURN(summary.speed,
                     measureNight(options_, tonight_, archive_, host_, progress_, summary.scope));
    return {};
  }

  // Reports limitations that covered no executed pair, though their platform and mode ran. Only a
  // night with the whole catalogue shows this. No pair runs under a limitation with skipRun;
  // validateLimitations() has checked that it covers a case.
  void reportUnmatchedLimitations() {
    if (!options_.wholeCatalogue()) return;
    for (const Limitation& limitation : limitations_)
      if (!limitation.skipRun && anyOf(limitation.platforms, tonight_.platforms) &&
          anyOf(limitation.modes, options_.modes) &&
          !run_->matchedLimitations().contains(limitation.id))
        run_->summary.unmatchedLimitations.push_back(limitation.id);
  }

  const NightlyOptions& options_;
  Archive& archive_;
  ProcessHost& host_;
  const NightlyProgress& progress_;
  PhaseMeter* const phases_;
  const std::span<const Limitation> limitations_;
  BuildRecord tonight_;
  std::optional<RecordedRun> run_;
  std::optional<RunNotes> elsewhere_;  // Once it has run there.
  NightlyResult result_;
};

}  // namespace

Result<NightlyResult> runNightly(const NightlyOptions& options, Archive& archive, ProcessHost& host,
                                 const NightlyProgress& progress) {
  RETURN_IF_ERROR(validateLimitations(limitations(), catalogue()));
  return Night(options, archive, host, progress).run();
}

Status finishNightly(const NightlyResult& result, Archive& archive) {
  const RunSummary& summary = result.summary;
  return archive.finishRun(summary.run.id, runNotesJson(notesOf(summary, result.build)),
                           verdictName(verdictOf(summary)));
}

}  // namespace vintage::harness

#include <algorithm>

#include <fmt/format.h>

#include "harness/judge/nightly/nightly.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

namespace {

class ScopeOfNight {
 public:
  ScopeOfNight(const NightlyOptions& options, const NightBuilds& builds, const Archive& archive)
      : options_(options), builds_(builds), archive_(archive) {
    judged_.goldenOnly = options.scope.goldenOnly;
    consumers_.push_back(&builds.tonight);
    for (const RealRelease& release : builds.releases) consumers_.push_back(&release.build);
  }

  Result<RunScope> settle() {
    for (const std::string& platform : knownPlatforms())
      if (admits(options_.platforms, platform)) RETURN_IF_ERROR(settlePlatform(platform));
    if (options_.scope.hasPromise(promiseName(Promise::kBackward)))
      judged_.promises.emplace_back(promiseName(Promise::kBackward));
    RETURN_IF_ERROR(settleForward());
    for (const RealRelease& release : builds_.releases) RETURN_IF_ERROR(settleExports(release));
    scope_.promises = judged_.promises;
    scope_.text = scopeText(judged_);
    return std::move(scope_);
  }

 private:
  // Artifacts that tonight's promise backward covers.
  Result<int64_t> artifactsFor(const std::string& platform) const {
    const DateRange window =
        options_.replay.policy.promise(Promise::kBackward).producers(options_.today);
    ArtifactFilter filter;
    filter.platforms = {platform};
    filter.primitives = options_.primitives;
    filter.variants = options_.variants;
    filter.builtFrom = window.first;
    filter.builtUntil = window.last;
    return archive_.count(filter);
  }

  Status settlePlatform(const std::string& platform) {
    ASSIGN_OR_RETURN(const int64_t artifacts, artifactsFor(platform));
    const bool named = lists(options_.scope.platforms, platform);
    if (!options_.scope.hasPlatform(platform)) {
      leaveOut(platform, "--scope leaves it out", artifacts);
      return {};
    }
    const bool runs = std::ranges::any_of(
        consumers_, [&](const BuildRecord* build) { return lists(build->platforms, platform); });
    if (!runs && !named) {
      leaveOut(platform, fmt::format("no build here runs it (--scope {} makes it count)", platform),
               artifacts);
      return {};
    }
    judged_.platforms.push_back(platform);
    if (artifacts == 0) {
      miss(Promise::kBackward, platform, "the archive holds no artifact of the window for it", 0);
    } else if (!runs) {
      miss(Promise::kBackward, platform, "no build here runs it", artifacts);
    } else {
      for (const std::string& mode : options_.modes)
        if (std::ranges::none_of(consumers_, [&](const BuildRecord* build) {
              return lists(build->platforms, platform) && lists(build->modes, mode);
            }))
          miss(Promise::kBackward, fmt::format("{} in mode {}", platform, mode),
               "no build here runs it in this mode", artifacts);
    }
    return {};
  }

  Status settleForward() {
    const std::string name(promiseName(Promise::kForward));
    const DateRange& window = builds_.forwardWindow;
    if (!options_.scope.hasPromise(name)) {
      leaveOut("promise " + name, "--scope leaves it out", 0);
      return {};
    }
    const bool named = lists(options_.scope.promises, name);
    ArtifactFilter ofTonight;
    ofTonight.producers = {builds_.tonight.name};
    ASSIGN_OR_RETURN(const int64_t artifacts, archive_.count(ofTonight));
    if (artifacts == 0 && !options_.exportCases && !named) {
      leaveOut("promise " + name, "nothing was exported, as asked", 0);
      return {};
    }
    std::vector<const BuildRecord*> covered;
    for (const BuildRecord& build : builds_.registered)
      if (window.contains(build.buildDate) && (build.start || build.kind != "facts"))
        covered.push_back(&build);
    const std::string none = fmt::format("no build of {} to {} is registered",
                                         formatDate(window.first), formatDate(window.last));
    if (covered.empty() && !named) {
      leaveOut("promise " + name, none + ", so no build can keep it yet", 0);
      return {};
    }
    judged_.promises.push_back(name);
    if (covered.empty()) miss(Promise::kForward, "promise " + name, none, 0);
    SameProgram same{name, builds_.tonight.name, builds_.tonight.name, 0};
    const std::string tonight = builds_.tonight.details.program;
    for (const BuildRecord* build : covered) {
      if (!tonight.empty() && build->details.program == tonight)
        ++same.builds;
      else if (!canStart(*build))
        miss(Promise::kForward, "build " + build->name, "it cannot be started here", 0);
    }
    if (same.builds > 0) scope_.samePrograms.push_back(std::move(same));
    return {};
  }

  Status settleExports(const RealRelease& release) {
    ArtifactFilter filter;
    filter.producers = {release.producer};
    int64_t artifacts = 0;
    RETURN_IF_ERROR(archive_.forEach(filter, [&](const ArtifactRecord& record) {
      artifacts += isBeyond(release, record);
      return true;
    }));
    leaveOut(fmt::format("exports that {} cannot run itself", release.producer),
             "there is no golden to compare with", artifacts);
    return {};
  }

  void leaveOut(std::string what, std::string reason, int64_t artifacts) {
    if (artifacts > 0 || what.starts_with("promise "))
      scope_.leftOut.push_back({std::move(what), std::move(reason), artifacts});
  }
  void miss(Promise promise, std::string what, std::string reason, int64_t artifacts) {
    if (!options_.scope.hasPromise(promiseName(promise))) return;
    scope_.missing.push_back(
        {std::string(promiseName(promise)), {std::move(what), std::move(reason), artifacts}});
  }

  const NightlyOptions& options_;
  const NightBuilds& builds_;
  const Archive& archive_;
  RunScope scope_;
  std::vector<const BuildRecord*> consumers_;
  Scope judged_;
};

}  // namespace

bool isBeyond(const RealRelease& release, const ArtifactRecord& record) {
  return record.golden.empty() && record.producer == release.producer;
}

Result<RunScope> settleScope(const NightlyOptions& options, const NightBuilds& builds,
                             const Archive& archive) {
  return ScopeOfNight(options, builds, archive).settle();
}

}  // namespace vintage::harness

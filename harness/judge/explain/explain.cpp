#include "harness/judge/explain/explain.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/typed_words.h"
#include "golden/compare/golden.h"
#include "harness/model/execute.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/replay/plan.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/python_programs.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace golden;
using namespace primitives;
using namespace archive;

namespace {

constexpr size_t kShownIdCharacters = 12;

class Explainer {
 public:
  Explainer(const ExplainOptions& options, const Archive& archive, ArtifactRecord artifact)
      : options_(options), archive_(archive) {
    out_.artifact = std::make_shared<const ArtifactRecord>(std::move(artifact));
  }

  Result<Explanation> run() {
    ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive_));
    readNeeds();
    RETURN_IF_ERROR(readPrecision());
    findReaders(builds);
    OutcomeFilter filter;
    filter.artifacts = {out_.artifact->id};
    ASSIGN_OR_RETURN(auto outcomes, archive_.outcomes(filter));
    std::erase_if(outcomes, [&](const OutcomeRecord& outcome) {
      return outcome.golden != out_.artifact->golden;
    });
    ASSIGN_OR_RETURN(ofConsumers_, consumerLimitations(archive_));
    for (const BuildRecord& build : builds) explainOn(build, outcomes);
    checkKernels();
    if (options_.forceVersion != nullptr) RETURN_IF_ERROR(force(builds));
    return std::move(out_);
  }

 private:
  void readNeeds() {
    auto needs = archive_.read(out_.artifact->id).and_then([&](const auto& bytes) {
      return forcedNeeds(bytes, out_.artifact->format, out_.artifact->name);
    });
    if (needs)
      out_.needs = std::move(*needs);
    else
      out_.needsProblem = needs.error().message;
  }

  // Empty if the golden cannot be read and no element of it was asked for: fsck and the pairs
  // report that.
  Status readPrecision() {
    const std::string& asked = options_.element;
    if (out_.artifact->golden.empty())
      return asked.empty() ? Status()
                           : usageError("--element {}: {} has no golden, so it has no elements",
                                        asked, out_.artifact->name);
    const auto golden = archive_.readGolden(*out_.artifact);
    if (!golden) return asked.empty() ? Status() : tl::unexpected(golden.error());
    if (!asked.empty()) {
      ASSIGN_OR_RETURN(out_.asked, within("--element", findElement(*golden, asked)));
    }
    out_.limits = detectionLimits(*golden);
    out_.inDoubt = doubtOf(*golden);
    for (size_t i = 0; i < golden->comparators.size(); ++i)
      if (const auto& open = golden->comparators[i].open; !open.empty())
        out_.open.push_back(
            fmt::format("{}{}", golden->comparators.size() > 1 ? fmt::format("output {}: ", i) : "",
                        openText(open)));
    for (size_t i = 0; i < out_.limits.size(); ++i)
      if (out_.limits[i].worst > 0)
        out_.worst.push_back(elementScale(*golden, i, out_.limits[i].worstElement));
    if (!golden->noise) return {};
    out_.seeds = golden->noise->seeds;
    for (const golden::NoiseScale& scale : golden->noise->outputs) {
      double& largest = out_.scales.emplace_back();
      for (int64_t code = 0; code < scale.codes.size(); ++code)
        largest = std::max(largest, scale.at(code));
    }
    return {};
  }

  // Builds come in order of their dates.
  void findReaders(const std::vector<BuildRecord>& builds) {
    std::string reason;
    for (const BuildRecord& build : builds) {
      // A jaxlib alone deserializes no Exported; its jax stands for both.
      if (build.kind != "facts" || build.name.starts_with("jaxlib ")) continue;
      ++out_.releases;
      const LoadAnswer answer = wouldLoad(*out_.artifact, build);
      if (answer.answer == WouldLoad::kNo) {
        reason = fmt::format("{} of {}: {}", build.name, formatDate(build.buildDate),
                             fmt::join(answer.reasons, "; "));
        if (out_.oldestReader && out_.newerCannot.empty()) out_.newerCannot = reason;
        continue;
      }
      if (!out_.oldestReader) {
        out_.oldestReader = Reader{build.name, build.buildDate};
        out_.olderCannot = reason;
      }
      out_.newestReader = Reader{build.name, build.buildDate};
      out_.newerCannot.clear();
      ++(answer.answer == WouldLoad::kYes ? out_.readers : out_.uncertain);
    }
    if (!out_.oldestReader) out_.olderCannot = reason;  // The newest one's.
    if (!out_.needs) return;
    for (const ForcedNeeds::Target& target : out_.needs->targets) {
      auto& [oldest, newest] = out_.guarantees.emplace_back();
      for (const BuildRecord& build : builds) {
        if (build.kind != "facts" ||
            !std::ranges::binary_search(build.customCallTargets, target.name))
          continue;
        newest = Reader{build.name, build.buildDate};
        if (!oldest) oldest = newest;
      }
    }
  }

  void explainOn(const BuildRecord& build, const std::vector<OutcomeRecord>& outcomes) {
    const bool asked = build.name == options_.build;
    if (!options_.build.empty() && !asked) return;
    bool known = false;
    for (const OutcomeRecord& outcome : outcomes)
      if (outcome.build == build.name &&
          (isEmulated(outcome.platform) || isBuildsOwn(build, outcome.platform))) {
        add(build, outcome.platform, outcome.mode, &outcome);
        known = true;
      }
    if (known || !asked) return;
    for (const std::string& platform : out_.artifact->platforms)
      if (admits(build.platforms, platform)) {
        add(build, platform, build.modes.empty() ? "graph" : build.modes.front(), nullptr);
        known = true;
      }
    if (!known)
      add(build, out_.artifact->platforms.empty() ? "" : out_.artifact->platforms.front(), "graph",
          nullptr);
  }

  void add(const BuildRecord& build, const std::string& platform, const std::string& mode,
           const OutcomeRecord* outcome) {
    const ArtifactRecord& artifact = *out_.artifact;
    PairExplanation explained;
    Pair& pair = explained.pair;
    pair.artifact = out_.artifact;
    pair.consumerDate = build.buildDate;
    const bool emulated = isEmulated(platform);
    for (const PromiseRule& rule : options_.policy.promises)
      if (!emulated && rule.appliesTo(artifact.format) &&
          rule.consumers(artifact.buildDate).contains(build.buildDate))
        explained.promises.push_back(rule.name);
    explained.statically = wouldLoad(artifact, build);
    const auto covering = std::ranges::find_if(limitations(), [&](const Limitation& one) {
      return covers(one, artifact, build.name, platform, mode, options_.today);
    });
    const Limitation* limitation = covering == limitations().end() ? nullptr : &*covering;
    if (outcome) {
      pair.outcome = *outcome;
      const auto* found = match(limitations(), artifact, *outcome, options_.today);
      if (!found) found = match(ofConsumers_, artifact, *outcome, options_.today);
      if (found) limitation = found;
      pair.cell = judge(*outcome, found != nullptr);
    }
    pair.outcome.build = build.name;
    pair.outcome.platform = platform;
    pair.outcome.mode = mode;
    pair.outcome.limitation = limitation ? limitation->id : "";
    explained.limitationText = limitation ? limitation->description : "";
    if (build.start)
      pair.command = fmt::format(
          "vintage replay --archive {} --id {} --platform {} --mode {} --build {}{}",
          shellWord(options_.archiveArgument), artifact.id.substr(0, kShownIdCharacters),
          shellWord(withoutEmulation(platform)), shellWord(mode), shellWord(build.name),
          emulated ? " --emulate" : "");
    out_.pairs.push_back(std::move(explained));
  }

  void checkKernels() {
    const auto isKernel = [](const ForcedNeeds::Target& target) { return !target.kernel.empty(); };
    const auto differs = [](const PairExplanation& explained) {
      return explained.pair.cell != Cell::kUntested &&
             explained.pair.outcome.outcome == OutcomeKind::kMismatch;
    };
    if (!out_.needs || std::ranges::none_of(out_.needs->targets, isKernel) ||
        (out_.needs->kernelRoundings.empty() && out_.inDoubt.empty() &&
         std::ranges::none_of(out_.pairs, differs)) ||
        out_.artifact->golden.empty())
      return;
    const auto found = archive_.read(out_.artifact->id).and_then([&](const auto& bytes) {
      return archive_.readGolden(*out_.artifact).and_then([&](const Golden& golden) {
        return kernelPrecision(*out_.artifact, bytes, golden);
      });
    });
    if (found)
      out_.kernels = *found;
    else
      out_.kernelsProblem = found.error().message;
  }

  Status force(const std::vector<BuildRecord>& builds) {
    for (PairExplanation& explained : out_.pairs) {
      const OutcomeRecord& on = explained.pair.outcome;
      const auto build = std::ranges::find(builds, on.build, &BuildRecord::name);
      ASSIGN_OR_RETURN(explained.forced, runForced(archive_, *out_.artifact, *build, on.platform,
                                                   on.mode, *options_.forceVersion));
    }
    return {};
  }

  const ExplainOptions& options_;
  const Archive& archive_;
  std::vector<Limitation> ofConsumers_;
  Explanation out_;
};

}  // namespace

Result<ForcedVersion> runForced(const Archive& archive, const ArtifactRecord& artifact,
                                const BuildRecord& build, const std::string& platform,
                                const std::string& mode, ProcessHost& host) {
  if (!build.details.said ||
      !build.details.said->name.starts_with(fmt::format("{} ", kTensorFlow.name)))
    return usageError(
        "--force-version: only TensorFlow takes the version of a module from its caller; build "
        "'{}' is none",
        build.name);
  if (artifact.callingConventionVersion <= build.newestCallingConvention)
    return usageError(
        "--force-version: {} has calling convention {}, and build '{}' reads up to {}: no number "
        "keeps it out",
        artifact.name, artifact.callingConventionVersion, build.name,
        build.newestCallingConvention);
  ForcedVersion forced;
  forced.version = build.newestCallingConvention;
  ASSIGN_OR_RETURN(auto asked, readyToStart(build, host));
  std::vector<std::string>& worker = asked.start->worker;
  worker.insert(worker.end(), {"--force-version", std::to_string(forced.version)});
  Execution execution;
  execution.platform = platform;
  execution.mode = mode;
  ASSIGN_OR_RETURN(auto run, runWithGolden(archive, artifact, asked, execution, host));
  forced.outcome = run.outcome;
  forced.detail = std::move(run.detail);
  return forced;
}

Result<Explanation> explain(const std::string& idOrName, const ExplainOptions& options,
                            const Archive& archive) {
  ASSIGN_OR_RETURN(auto artifact, archive.find(idOrName));
  if (!options.build.empty()) RETURN_IF_ERROR(findBuild(archive, options.build));
  return Explainer(options, archive, std::move(artifact)).run();
}

}  // namespace vintage::harness

#include "harness/runtimes/builds/would_load.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/custom_call_targets.h"
#include "golden/base/stablehlo_version.h"
#include "harness/runtimes/builds/when_needed.h"

namespace vintage::harness {
using namespace archive;

namespace {

class Answer {
 public:
  explicit Answer(const BuildRecord& build) : build_(build) {}

  void no(const std::string& reason) {
    answer_.answer = WouldLoad::kNo;
    answer_.reasons.push_back(reason);
  }
  void unknown(const std::string& reason) {
    if (answer_.answer == WouldLoad::kYes) answer_.answer = WouldLoad::kCannotTell;
    unknown_.push_back(reason);
  }
  // A "no" is explained by what says no; what is not known matters no more.
  LoadAnswer take() {
    if (answer_.answer == WouldLoad::kCannotTell) answer_.reasons = std::move(unknown_);
    return std::move(answer_);
  }

  void callingConvention(int needs) {
    if (needs <= 0) return;
    if (build_.newestCallingConvention <= 0)
      unknown("its calling-convention versions are not known");
    else if (needs < build_.oldestCallingConvention || needs > build_.newestCallingConvention)
      outside(fmt::format("it accepts calling conventions {} to {}, the artifact has {}",
                          build_.oldestCallingConvention, build_.newestCallingConvention, needs));
  }

  void serialization(int needs) {
    if (needs <= 0) return;
    if (build_.newestSerialization <= 0) {
      if (isKnownInPart())
        unknown("its serialization version is not known");
      else
        no("it reads portable artifacts only, no Exported");
    } else if (needs > build_.newestSerialization) {
      outside(fmt::format("it reads serialization versions up to {}, the artifact has {}",
                          build_.newestSerialization, needs));
    } else if (const auto& runtime = build_.details.runtime;
               runtime && needs < runtime->serialization.oldest) {
      no(fmt::format("it reads serialization versions from {} on, the artifact has {}",
                     runtime->serialization.oldest, needs));
    }
  }

  void stablehlo(StablehloVersion needs) {
    const auto reads = parseStablehloVersion(build_.stablehloVersion);
    if (!reads) return unknown("the StableHLO version that it reads is not known");
    if (needs > *reads) {
      outside(fmt::format("it reads StableHLO up to {}, the artifact has {}",
                          build_.stablehloVersion, formatStablehloVersion(needs)));
    } else if (const auto surely = parseStablehloVersion(build_.details.surelyReads);
               surely && needs > *surely) {
      unknown(
          fmt::format("StableHLO {} became current so shortly before it that it may hold an "
                      "older one; it reads {} for sure",
                      formatStablehloVersion(needs), formatStablehloVersion(*surely)));
    }
  }

  void targets(const std::vector<std::string>& needs) {
    std::vector<std::string> missing, compilers;
    for (const std::string& target : needs)
      if (std::ranges::find(build_.customCallTargets, target) == build_.customCallTargets.end())
        (readsByXla(build_) && isKnownToCompiler(target) ? compilers : missing).push_back(target);
    const auto say = [](const char* what, const std::vector<std::string>& names) {
      return fmt::format("it does not {} the target{} {}", what, names.size() > 1 ? "s" : "",
                         fmt::join(names, ", "));
    };
    if (!missing.empty() && isKnownInPart())
      unknown(say("guarantee", missing));
    else if (!missing.empty())
      no(say("register", missing));
    if (!compilers.empty()) unknown(say("register", compilers) + ", which its compiler may know");
  }

  void platforms(const std::vector<std::string>& needs) {
    if (needs.empty() || build_.platforms.empty()) return;
    if (std::ranges::find_first_of(needs, build_.platforms) == needs.end())
      no(fmt::format("it runs {}, the artifact was lowered for {}",
                     fmt::join(build_.platforms, ", "), fmt::join(needs, ", ")));
  }

 private:
  // jax 0.4.26 runs calling convention 8, although it writes 9 only; one release that reads an
  // older file runs a number that it does not know.
  void outside(const std::string& reason) {
    if (readsByXla(build_))
      unknown(reason + "; it refuses what it does not know, not the number");
    else
      no(reason);
  }

  // Its facts are all that is known, or its worker was never asked.
  bool isKnownInPart() const { return build_.kind == "facts" || build_.kind == kRecipeKind; }

  const BuildRecord& build_;
  LoadAnswer answer_;
  std::vector<std::string> unknown_;
};

}  // namespace

std::string_view wouldLoadName(WouldLoad answer) {
  constexpr std::string_view kNames[] = {"yes", "no", "cannot tell"};
  return kNames[static_cast<size_t>(answer)];
}

bool readsByXla(const BuildRecord& build) {
  return build.kind == "facts" || build.details.environment.has_value();
}

LoadAnswer wouldLoad(const ArtifactRecord& artifact, const BuildRecord& build) {
  Answer answer(build);
  // A jaxlib alone does not deserialize an Exported: jax does.
  const bool jaxlibAlone = build.kind == "facts" && build.name.starts_with("jaxlib ");
  if (!jaxlibAlone && artifact.format == ArtifactRecord::Format::kExported) {
    answer.callingConvention(artifact.callingConventionVersion);
    answer.serialization(artifact.serializationVersion);
  }
  if (const auto version = parseStablehloVersion(artifact.stablehloVersion))
    answer.stablehlo(*version);
  answer.targets(artifact.customCallTargets);
  answer.platforms(artifact.platforms);
  return answer.take();
}

}  // namespace vintage::harness

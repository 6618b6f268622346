#include "harness/replay/plan.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr const char* kEmulated = " (emulated)";

struct ChosenPlatform {
  std::string name;
  bool emulated = false;
};

std::optional<ChosenPlatform> choosePlatform(const ArtifactRecord& record, const BuildRecord& build,
                                             const ReplayChoice& choice) {
  const auto wanted = [&](const std::string& platform) {
    return choice.scope.hasPlatform(platform) && (!choice.platform || platform == *choice.platform);
  };
  for (const std::string& platform : record.platforms)
    if (wanted(platform) && lists(build.platforms, platform)) return ChosenPlatform{platform};
  if (!choice.emulate) return std::nullopt;
  for (const std::string& platform : record.platforms)
    if (wanted(platform)) return ChosenPlatform{platform, true};
  return std::nullopt;
}

// Why `record` is not run at all; empty: it is.
std::string reasonToSkip(const ArtifactRecord& record, const BuildRecord& build,
                         const std::optional<ChosenPlatform>& platform, std::string_view mode,
                         bool isRead) {
  if (!isRead) return fmt::format("a {} is not a format of the build", formatName(record.format));
  if (!canRunIn(mode, record)) {
    if (const std::string reason = notComparable(record); !reason.empty()) return reason;
    return fmt::format("a {} has no mode {}", formatName(record.format), mode);
  }
  if (!platform)
    return fmt::format("it was lowered for {}; the build runs {}",
                       fmt::join(record.platforms, ", "), fmt::join(build.platforms, ", "));
  return "";
}

// The reason why the scope leaves the record out; empty: it does not.
std::string leftOut(const ArtifactRecord& record, const Scope& scope) {
  if (std::ranges::none_of(record.platforms, [&](const std::string& platform) {
        return scope.hasPlatform(platform);
      }))
    return fmt::format("{}", fmt::join(record.platforms, ", "));
  return scope.goldenOnly && !notComparable(record).empty() ? "without a golden" : "";
}

}  // namespace

std::string notComparable(const ArtifactRecord& record) {
  if (record.golden.empty()) return "it has no golden to compare with";
  return "";
}

bool canRunIn(std::string_view mode, const ArtifactRecord& record) {
  if (mode == kCompileOnly) return record.format != ArtifactRecord::Format::kSavedModel;
  return notComparable(record).empty();
}

std::string recordedPlatform(const std::string& platform, bool emulated) {
  return emulated ? platform + kEmulated : platform;
}

bool isEmulated(std::string_view recordedPlatform) { return recordedPlatform.ends_with(kEmulated); }

std::string withoutEmulation(std::string_view recordedPlatform) {
  if (isEmulated(recordedPlatform))
    recordedPlatform.remove_suffix(std::string_view(kEmulated).size());
  return std::string(recordedPlatform);
}

bool isBuildsOwn(const BuildRecord& build, std::string_view recordedPlatform) {
  return admits(build.platforms, recordedPlatform);
}

ReplayPlan planReplay(std::span<const SharedRecord> records, const BuildRecord& build,
                      const ReplayChoice& choice) {
  ReplayPlan plan;
  // By artifact, golden and platform.
  std::unordered_map<std::string, size_t> jobOf;
  jobOf.reserve(records.size());
  std::set<std::string> matched;
  const bool readsSavedModels = readsFormat(build, ArtifactRecord::Format::kSavedModel);
  for (const SharedRecord& shared : records) {
    const ArtifactRecord& record = *shared;
    if (const std::string what = leftOut(record, choice.scope); !what.empty()) {
      ++plan.outOfScope[what];
      continue;
    }
    const auto chosen = choosePlatform(record, build, choice);
    const std::string platform =
        chosen ? recordedPlatform(chosen->name, chosen->emulated) : std::string();
    const bool isRead = readsSavedModels || record.format != ArtifactRecord::Format::kSavedModel;
    std::string reason = reasonToSkip(record, build, chosen, choice.mode, isRead);
    std::string declaring;  // Id of the first that says that it is not even tried.
    std::string limitationId;
    for (const Limitation& limitation : choice.limitations) {
      if (!covers(limitation, record, build.name, platform, choice.mode, choice.today)) continue;
      matched.insert(limitation.id);
      if (chosen && limitation.skipRun && declaring.empty()) declaring = limitation.id;
      if (reason.empty() && limitation.skipRun)
        reason = fmt::format("limitation {}: {}", limitation.id, limitation.description);
      if (limitationId.empty()) limitationId = limitation.id;
    }
    if (!reason.empty()) {
      Pair& skip = plan.skipped.emplace_back();
      skip.artifact = shared;
      skip.consumerDate = build.buildDate;
      skip.outcome.artifact = record.id;
      skip.outcome.build = build.name;
      skip.outcome.platform = platform;
      skip.outcome.mode = choice.mode;
      skip.outcome.detail = std::move(reason);
      skip.outcome.limitation = std::move(declaring);
      continue;
    }
    const auto [place, isNew] =
        jobOf.try_emplace(record.id + ' ' + record.golden + ' ' + platform, plan.jobs.size());
    if (isNew) plan.jobs.push_back({{}, chosen->name, chosen->emulated, limitationId});
    plan.jobs[place->second].records.push_back(shared);
  }
  plan.matchedLimitations.assign(matched.begin(), matched.end());
  return plan;
}

}  // namespace vintage::harness

#include "archive/records/limitation.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "archive/records/dtype_sets.h"
#include "archive/records/speed_report.h"
#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

constexpr std::array<std::string_view, 4> kFailureKinds{"refused", "wrong value", "crash",
                                                        "timeout"};

bool coversName(const std::vector<std::string>& names, std::string_view name) {
  return name.empty() || admits(names, name);
}

bool coversDay(const Limitation& limitation, Date day) {
  const std::string date = formatDate(day);  // YYYY-MM-DD sorts as text.
  return (limitation.since.empty() || date >= limitation.since) &&
         (!limitation.until || date <= *limitation.until);
}

bool coversOneOf(const std::vector<std::string>& limited, const std::vector<std::string>& dtypes) {
  if (limited.empty()) return true;
  const std::set<std::string> all = expandDtypes(limited);
  return std::ranges::any_of(
      dtypes, [&](const std::string& dtype) { return all.contains(jaxDtype(dtype)); });
}

bool coversArtifact(const std::vector<std::string>& names, const ArtifactRecord& artifact) {
  if (names.empty()) return true;
  return lists(names, artifactAtProducer(artifact)) ||
         lists(names, fmt::format("{}@{}", sizedName(artifact.name).function, artifact.producer));
}

bool isAbout(const Limitation& limitation, const ArtifactRecord& artifact, std::string_view build,
             std::string_view platform, std::string_view mode, Date day) {
  return (limitation.primitive.empty() || limitation.primitive == artifact.primitive) &&
         admits(limitation.consumers, build) && coversName(limitation.platforms, platform) &&
         coversName(limitation.modes, mode) && coversName(limitation.variants, artifact.variant) &&
         admits(limitation.producers, artifact.producer) &&
         coversArtifact(limitation.artifacts, artifact) && coversDay(limitation, day) &&
         coversOneOf(limitation.dtypes, artifact.dtypes);
}

bool isOfSpeed(const Limitation& limitation) {
  return limitation.failureClass &&
         std::ranges::count(speedClasses(), *limitation.failureClass) > 0;
}

// Whether a limitation that covers the use speaks of its outcome.
bool speaksOf(const Limitation& limitation, const OutcomeRecord& outcome) {
  if (outcome.outcome == OutcomeKind::kRunnerError ||
      outcome.outcome == OutcomeKind::kNotComparable)
    return false;
  if (limitation.failureClass) {
    // A use that only compiled neither failed nor passed.
    if (outcome.outcome == OutcomeKind::kCompiled) return false;
    const auto failure = failureClassOf(outcome);
    return !failure || *failure == *limitation.failureClass;
  }
  // A use that did not run may still have wrong values, or crash then.
  if (outcome.outcome == OutcomeKind::kCompiled)
    return admits(limitation.failures, FailureKind::kRefused);
  const auto kind = failureKindOf(outcome.outcome);
  return !kind || admits(limitation.failures, *kind);
}

}  // namespace

std::vector<std::string> failureKindNames(std::span<const FailureKind> kinds) {
  std::vector<std::string> names;
  for (const FailureKind kind : kinds) names.emplace_back(kFailureKinds[static_cast<size_t>(kind)]);
  return names;
}

Result<std::vector<FailureKind>> parseFailureKinds(std::span<const std::string> names) {
  std::vector<FailureKind> kinds;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(kFailureKinds, name);
    if (found == kFailureKinds.end())
      return usageError("'{}' is no kind of failure; there are: {}", name,
                        fmt::join(kFailureKinds, ", "));
    kinds.push_back(static_cast<FailureKind>(found - kFailureKinds.begin()));
  }
  return kinds;
}

std::optional<FailureKind> failureKindOf(OutcomeKind outcome) {
  constexpr std::pair<OutcomeKind, FailureKind> kKinds[] = {
      {OutcomeKind::kError, FailureKind::kRefused},
      {OutcomeKind::kUnsupported, FailureKind::kRefused},
      {OutcomeKind::kMismatch, FailureKind::kWrongValue},
      {OutcomeKind::kCrash, FailureKind::kCrash},
      {OutcomeKind::kTimeout, FailureKind::kTimeout}};
  for (const auto& [known, kind] : kKinds)
    if (known == outcome) return kind;
  return std::nullopt;
}

std::string artifactAtProducer(const ArtifactRecord& artifact) {
  return fmt::format("{}@{}", artifact.name, artifact.producer);
}

bool covers(const Limitation& limitation, const ArtifactRecord& artifact, std::string_view build,
            std::string_view platform, std::string_view mode, Date day) {
  return !isOfSpeed(limitation) && isAbout(limitation, artifact, build, platform, mode, day);
}

const Limitation* match(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                        const OutcomeRecord& outcome, Date day) {
  for (const Limitation& limitation : limitations)
    if (covers(limitation, artifact, outcome.build, outcome.platform, outcome.mode, day) &&
        speaksOf(limitation, outcome))
      return &limitation;
  return nullptr;
}

const Limitation* match(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                        std::string_view build, std::string_view platform, std::string_view mode,
                        FailureClass found, Date day) {
  for (const Limitation& limitation : limitations)
    if (limitation.failureClass == found &&
        isAbout(limitation, artifact, build, platform, mode, day))
      return &limitation;
  return nullptr;
}

}  // namespace vintage::archive

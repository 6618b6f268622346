// The gate over the past, judged as of its day with today's knowledge: every change of a list of
// guaranteed targets; of JAX's versions, when a calling convention became the default, when an old
// one was dropped, and which serialization version each release wrote; and each release against the
// one before it (docs/gate/facts.md).
//
// The facts hold the list and the releases, not the code: a target counts as registered while it is
// listed, so a finding about a removal means that the guarantee was withdrawn too early. It is
// unknown whether an implementation stayed for longer.
//
// The facts about versions give days of the source and days of releases; both are judged, since
// build dates count. A version of unknown day is judged by the releases alone.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/gate/gate.h"

namespace vintage::harness {

struct ListChange {
  std::string commit, subject;
  Date date{};
  std::vector<std::string> added, removed;
};

// The form of ../shared/facts/jax_stable_custom_calls_history.json, in order of time. kBadInput if
// a change adds a listed target or removes an unlisted one.
Result<std::vector<ListChange>> parseListHistory(std::string_view text, std::string_view name);

// The worst result of judged changes.
GateResult worstOf(const auto& judged) {
  GateResult worst = GateResult::kAllowed;
  for (const auto& one : judged) worst = std::max(worst, one.verdict.result);
  return worst;
}

struct JudgedListChange {
  ListChange change;
  GateVerdict verdict;
};
Result<std::vector<JudgedListChange>> judgeHistory(
    const std::vector<ListChange>& changes, const std::vector<archive::RuntimeDescription>& builds,
    ArchivedFacts& archive);

// A line of "calling_conventions" or "serialization_versions" in
// ../shared/facts/jax_exported_format.json.
struct VersionFacts {
  int version = 0;
  std::optional<Date> consumer;   // Consumers read it from this day on.
  std::optional<Date> producer;   // Exporters can write it.
  std::optional<Date> byDefault;  // And write it by default.
  std::optional<Date> dropped;    // No longer read.
  std::optional<Date> onlyOne;    // From this day on nothing older is read.
};
struct FormatFacts {
  std::vector<VersionFacts> callingConventions, serializations;  // By version.
};
// Reads "calling_conventions" and "serialization_versions" from the file and ignores the rest, and
// dates that are only a month.
Result<FormatFacts> parseFormatFacts(std::string_view text, std::string_view name);

struct JudgedVersionChange {
  Date date{};
  std::string what;    // "calling convention 7 becomes the default"
  std::string source;  // "the facts", or the release: "jax 0.4.26"
  GateVerdict verdict;
};
// In order of time. `builds` are releases, by date; if there are none, only the days of the facts
// are judged.
Result<std::vector<JudgedVersionChange>> judgeVersionHistory(
    const FormatFacts& facts, const std::vector<archive::RuntimeDescription>& builds,
    ArchivedFacts& archive);

struct JudgedHistory {
  std::vector<JudgedListChange> list;         // The guaranteed targets.
  std::vector<JudgedVersionChange> versions;  // The versions that artifacts are written in.
};

// `longest` bounds the artifacts listed for one finding; the rest is counted.
std::string historyText(const JudgedHistory& history, size_t longest = 3);
nlohmann::json historyJson(const JudgedHistory& history);

struct JudgedRelease {
  std::string before, after;
  Date day{};  // The publication of the later one's runtime.
  GateVerdict verdict;
};

struct JudgedReleases {
  std::vector<archive::RuntimeDescription> releases;  // By the days of their runtimes.
  std::vector<JudgedRelease> steps;
  // Platforms of exports whose registry was queried for no release.
  std::vector<std::string> unknownRegistries;

  GateResult result() const { return worstOf(steps); }
};

// `releases` are those with known facts; at least two, or kUsage. `registeredAs`: see Change.
Result<JudgedReleases> judgeReleases(
    std::vector<archive::RuntimeDescription> releases, ArchivedFacts& archive,
    const std::map<std::string, std::vector<std::string>>& registeredAs);

std::string releasesText(const JudgedReleases& judged);
nlohmann::json releasesJson(const JudgedReleases& judged);
// The page docs/gate/releases.md; `command`: the command that makes it.
std::string releasesPage(const JudgedReleases& judged, const std::string& command);

}  // namespace vintage::harness

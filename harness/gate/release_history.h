// The gate over releases: each judged against the one before it, as of its day and with what is
// known today (docs/gate/facts.md).
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/gate/gate.h"

namespace vintage::harness {

struct JudgedRelease {
  std::string before, after;
  Date day{};  // On which the later one's runtime was published.
  GateVerdict verdict;
};

struct JudgedReleases {
  std::vector<archive::RuntimeDescription> releases;  // By the days of their runtimes.
  std::vector<JudgedRelease> steps;
  // Platforms that exports are made for and whose registry no release was asked for.
  std::vector<std::string> unknownRegistries;

  GateResult result() const;
};

// `releases` are those whose facts are known; at least two, or kUsage. `registeredAs`: see Change.
Result<JudgedReleases> judgeReleases(
    std::vector<archive::RuntimeDescription> releases, ArchivedFacts& archive,
    const std::map<std::string, std::vector<std::string>>& registeredAs);

std::string releasesText(const JudgedReleases& judged);
nlohmann::json releasesJson(const JudgedReleases& judged);
// The page docs/gate/releases.md; `command` is how it was made.
std::string releasesPage(const JudgedReleases& judged, const std::string& command);

}  // namespace vintage::harness

// Small invented releases with facts, for the tests of the rules that judge by them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/gate/history.h"
#include "tests/harness/gate/change_builder.h"

namespace vintage::tests {

struct ReleaseBuilder {
  archive::RuntimeDescription release;

  ReleaseBuilder(const char* version, const char* released) {
    release.name = std::string("jax ") + version;
    release.version = version;
    release.buildDate = day(released);
    release.released = day(released);
    release.platforms = {"cpu"};
    release.registries = {"cpu"};
    release.emission.lowered = {{"cpu", archive::kEmittedByDefault, 10, {}}};
  }
  ReleaseBuilder& registers(std::vector<std::string> names, std::vector<int> api = {4}) {
    for (std::string& name : names) {
      archive::RegisteredTarget target;
      target.name = std::move(name);
      target.platform = "cpu";
      target.schema.apiVersions = api;
      release.targets.push_back(std::move(target));
    }
    return *this;
  }
  ReleaseBuilder& lists(std::vector<std::string> names) {
    for (std::string& name : names) release.stableTargets.push_back({std::move(name), {}});
    return *this;
  }
  ReleaseBuilder& emits(const char* name, archive::CallSignature signature = {4, 1, {}},
                        const char* mode = archive::kEmittedByDefault, const char* platform = "cpu",
                        bool unlisted = false) {
    release.emission.calls.push_back(
        {name, platform, mode, std::move(signature), {"solve"}, "case", unlisted});
    return *this;
  }
  operator archive::RuntimeDescription() const { return release; }
};

// The findings of one rule in each step, by "OLD -> NEW".
inline std::map<std::string, std::vector<harness::Finding>> judged(
    std::vector<archive::RuntimeDescription> releases, const std::string& rule,
    ListedFacts& archive,
    const std::map<std::string, std::vector<std::string>>& registeredAs = {}) {
  std::map<std::string, std::vector<harness::Finding>> out;
  auto result = harness::judgeReleases(std::move(releases), archive, registeredAs);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return out;
  for (const harness::JudgedRelease& step : result->steps)
    for (const harness::Finding& finding : step.verdict.findings)
      if (finding.rule == rule) out[step.before + " -> " + step.after].push_back(finding);
  return out;
}
inline std::map<std::string, std::vector<harness::Finding>> judged(
    std::vector<archive::RuntimeDescription> releases, const std::string& rule) {
  ListedFacts archive;
  return judged(std::move(releases), rule, archive);
}

using Releases = std::vector<archive::RuntimeDescription>;

inline ReleaseBuilder full(const char* version, const char* released) {
  return ReleaseBuilder(version, released)
      .registers({"solve", "solve_ffi"})
      .lists({"solve", "solve_ffi"});
}

// 1 and 2 export calls of solve, 3 exports those of solve_ffi, and 4 lacks solve.
inline Releases withRemovalOn(const char* date) {
  return {
      full("1", "2025-01-17").emits("solve"), full("2", "2025-02-24").emits("solve"),
      full("3", "2025-03-19").emits("solve_ffi"),
      ReleaseBuilder("4", date).registers({"solve_ffi"}).lists({"solve_ffi"}).emits("solve_ffi")};
}

}  // namespace vintage::tests

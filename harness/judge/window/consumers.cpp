#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "archive/records/records.h"
#include "harness/judge/window/survey.h"
#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

std::vector<Consumer> groupConsumers(const std::vector<BuildRecord>& builds, Date today,
                                     const std::vector<std::string>& names, bool withFacts,
                                     int& factsLeftOut) {
  std::map<std::string, Consumer> groups;
  factsLeftOut = 0;
  for (const BuildRecord& build : builds) {
    if (build.buildDate > today) continue;
    const bool chosen = admits(names, build.name);
    const bool facts = !build.start && build.kind == "facts";
    if (facts && !withFacts) {
      factsLeftOut += chosen;
      continue;
    }
    const std::string& program = build.details.program;
    Consumer& group = groups[program.empty() ? "build " + build.name : "program " + program];
    group.sameProgram.push_back(build.name);
    if (!chosen) continue;
    group.builds.push_back(build);
    group.factsOnly = facts;
    group.readsSavedModels = readsFormat(build, ArtifactRecord::Format::kSavedModel);
  }
  const auto older = [](const BuildRecord& a, const BuildRecord& b) { return isOlder(a, b); };
  std::vector<Consumer> consumers;
  for (auto& [key, group] : groups) {
    if (group.builds.empty()) continue;
    std::ranges::sort(group.builds, older);
    const BuildRecord& build = group.build();
    if (group.factsOnly)
      group.problem = "only its facts are known";
    else if (!build.start)
      group.problem = "known by its facts only; bind it to run it";
    else if (!canStart(build))
      group.problem = fmt::format("{} is not there", build.start->worker.front());
    consumers.push_back(std::move(group));
  }
  std::ranges::sort(consumers, older, &Consumer::build);
  return consumers;
}

}  // namespace vintage::harness

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/judge/nightly/nightly.h"
#include "harness/judge/window/run_window.h"
#include "harness/judge/window/window_speed.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr const char* kSubject = "speed of the engine";

// The newest engine that was built before tonight's; null: there is none.
const BuildRecord* lastNight(const std::vector<BuildRecord>& builds, const BuildRecord& tonight) {
  const BuildRecord* last = nullptr;
  for (const BuildRecord& build : builds)
    if (productOf(build.name) == productOf(tonight.name) && build.buildDate < tonight.buildDate &&
        (!last || isOlder(*last, build)))
      last = &build;
  return last;
}

WindowChoice windowOf(const NightlyOptions& options, const std::vector<BuildRecord>& builds) {
  WindowChoice choice;
  choice.policy = options.replay.policy;
  choice.today = options.today;
  choice.scope = options.scope;
  choice.filter.platforms = options.platforms;
  choice.filter.primitives = options.primitives;
  choice.filter.variants = options.variants;
  // Releases compile, whatever the engine does.
  std::set<std::string> modes(options.modes.begin(), options.modes.end());
  for (const BuildRecord& build : builds)
    if (build.start && build.kind != "engine") modes.insert(build.modes.begin(), build.modes.end());
  choice.modes.assign(modes.begin(), modes.end());
  return choice;
}

}  // namespace

Result<JudgedSpeed> measureNight(const NightlyOptions& options, const BuildRecord& tonight,
                                 Archive& archive, ProcessHost& host,
                                 const NightlyProgress& progress, RunScope& scope) {
  ASSIGN_OR_RETURN(const auto builds, ownBuilds(archive));
  const std::string engine = productOf(tonight.name);
  const BuildRecord* last = lastNight(builds, tonight);
  const bool isSame = last && last->details.program == tonight.details.program;
  const auto wanted = [&](const Consumer& before, const Consumer& after) {
    return productOf(after.build().name) != engine ||
           (last && !isSame && lists(before.sameProgram, last->name) &&
            lists(after.sameProgram, tonight.name));
  };
  int factsLeftOut = 0;
  const auto consumers = groupConsumers(builds, options.today, {}, false, factsLeftOut);
  ASSIGN_OR_RETURN(auto pairs,
                   neighbouringBuilds(archive, windowOf(options, builds), consumers, wanted));
  std::string open = !last    ? "there is no earlier night"
                     : isSame ? "tonight's is the same program as " + last->name
                              : "no artifact is known to pass on both nights' engines";
  for (SpeedPair& pair : pairs) {
    for (auto& [place, records] : pair.artifacts) records = speedSample(std::move(records));
    if (productOf(pair.after.name) != engine) continue;
    if (!pair.problem.empty())
      pair.problem = open =
          fmt::format("{} cannot be started here: {}", pair.before.name, pair.problem);
    if (pair.count() > 0) open.clear();
  }
  if (!open.empty()) scope.leftOut.push_back({kSubject, open, 0});
  SpeedChoice choice;
  choice.promise = options.replay.policy.speed;
  choice.today = options.today;
  choice.archiveArgument = options.replay.archiveArgument;
  choice.measured = options.speed;
  choice.commandLine = options.commandLine;
  return measureSpeed(std::move(pairs), choice, archive, host, progress);
}

}  // namespace vintage::harness

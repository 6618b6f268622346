// From when to when the builds whose facts are known register, list and emit each custom-call
// target.
#include <algorithm>
#include <set>

#include "harness/dashboard/page_parts.h"
#include "harness/dashboard/pages.h"
#include "harness/tables/target_life.h"
#include "harness/tables/target_table.h"
#include "harness/builds/builds.h"

namespace vintage::harness::dashboard {

using nlohmann::json;

Result<json> targetsPage(const PageContext& context, const PageParameters&) {
  ASSIGN_OR_RETURN(const auto builds, context.archive.builds());
  std::vector<RuntimeDescription> releases;
  std::set<std::string> known;
  for (const BuildRecord& build : builds) {
    const auto& runtime = build.details.runtime;
    // Several builds may be one release; it counts once.
    if (runtime && known.insert(runtime->name).second) releases.push_back(*runtime);
  }
  // One that does not say what it emits would end the life of every target; without any that
  // does, what they register is still worth seeing.
  if (std::ranges::any_of(releases, [](const auto& release) { return release.emission.known(); }))
    std::erase_if(releases, [](const auto& release) { return !release.emission.known(); });
  std::ranges::stable_sort(releases, {}, &RuntimeDescription::day);
  json page{{"releases", json::array()},
            {"targets", targetTableJson(targetLives(releases)).at("targets")}};
  for (const RuntimeDescription& release : releases)
    page["releases"].push_back({{"name", release.name}, {"date", formatDate(release.day())}});
  return page;
}

}  // namespace vintage::harness::dashboard

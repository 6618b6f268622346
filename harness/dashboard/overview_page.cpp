// What every view begins with: the builds, producers and primitives by which the other pages
// are divided. A hundred builds and two hundred primitives are some 20 KB.
#include <algorithm>
#include <filesystem>

#include "archive/records/window_policy.h"
#include "archive/store/archive_counts.h"
#include "golden/base/own_program.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

namespace {

// The folder's own name: where it lies is nobody's business.
std::string nameOfFolder(const std::string& folder) {
  std::error_code ignored;
  const auto whole = std::filesystem::absolute(folder, ignored).lexically_normal();
  const auto last = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return last.empty() ? "archive" : last.string();
}

json policyJson() {
  const WindowPolicy policy = jaxPolicy();
  return {{"name", policy.name},
          {"backward_days", policy.promise(Promise::kBackward).days},
          {"forward_days", policy.promise(Promise::kForward).days}};
}

}  // namespace

Result<json> overviewPage(const PageContext& context, const PageParameters&) {
  const Archive& archive = context.archive;
  ASSIGN_OR_RETURN(auto builds, archive.builds());
  ASSIGN_OR_RETURN(const auto outcomes, outcomesByBuild(archive));
  ASSIGN_OR_RETURN(const auto producers, archivedProducers(archive));
  ASSIGN_OR_RETURN(const auto primitives, archivedPrimitives(archive));
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  json page{{"format", "vintage dashboard"},      {"version", 1},
            {"vintage", vintageVersion()},        {"archive", nameOfFolder(archive.folder())},
            {"today", formatDate(context.today)}, {"policy", policyJson()},
            {"primitives", primitives},           {"builds", json::array()},
            {"producers", json::array()},         {"runs", json::array()}};
  for (const BuildRecord& build : builds) {
    const auto count = outcomes.find(build.name);
    page["builds"].push_back({{"name", build.name},
                              {"date", formatDate(build.buildDate)},
                              {"kind", build.kind},
                              {"platforms", build.platforms},
                              {"modes", build.modes},
                              {"outcomes", count == outcomes.end() ? 0 : count->second}});
  }
  for (const ArchivedProducer& producer : producers)
    page["producers"].push_back({{"name", producer.name},
                                 {"date", formatDate(producer.buildDate)},
                                 {"artifacts", producer.artifacts}});
  // The newest first; one that still runs has nothing to show yet.
  for (auto run = runs.rbegin(); run != runs.rend() && page["runs"].size() < kRunsShown; ++run)
    if (!run->finished.empty())
      page["runs"].push_back({{"id", run->id}, {"kind", run->kind}, {"started", run->started}});
  return page;
}

}  // namespace vintage::harness

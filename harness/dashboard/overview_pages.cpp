// The start of every view: the builds, producers and primitives that divide the other pages (a
// hundred builds and two hundred primitives are some 20 KB). And the state of the archive: counts,
// missing pairs, and the results of the last runs.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "archive/records/window_policy.h"
#include "archive/store/archive_counts.h"
#include "golden/base/own_program.h"
#include "harness/dashboard/pages.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

// The folder's own name; its path stays private.
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

constexpr size_t kCommandLineBytes = 400;

json findingsOf(const PageContext& context, const ArchiveCounts& counts, int64_t startable,
                int64_t buildsWithoutOutcome) {
  json findings = json::array();
  const auto add = [&](const char* level, int64_t count, std::string_view one,
                       std::string_view many, const std::string& command = "") {
    if (count == 0) return;
    const std::string archive = shellWord(context.archiveArgument);
    findings.push_back(
        {{"level", level},
         {"text", count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many)},
         {"command", command.empty()
                         ? json()
                         : json(fmt::format("vintage {} --archive {}", command, archive))}});
  };
  const auto broken = counts.outcomes.find(OutcomeKind::kRunnerError);
  add("problem", broken == counts.outcomes.end() ? 0 : broken->second,
      "outcome says that the consumer broke: nothing is known of its artifact",
      "outcomes say that the consumer broke: nothing is known of their artifacts");
  add("problem", counts.unfinishedRuns, "run has no end: it was killed, or still runs",
      "runs have no end: they were killed, or still run");
  add("note", counts.withoutGolden, "artifact has no golden: nothing says what it has to compute",
      "artifacts have no golden: nothing says what they have to compute");
  add("note", counts.withoutPrimitive, "artifact names no primitive",
      "artifacts name no primitive");
  add("note", buildsWithoutOutcome, "build has no outcome: nothing was run on it",
      "builds have no outcome: nothing was run on them", "builds list");
  add("note", counts.builds - startable,
      "build cannot be started here: it is known by its facts only",
      "builds cannot be started here: they are known by their facts only", "builds list");
  add("note", counts.removed, "content was removed by retention, and outcomes still name it",
      "contents were removed by retention, and outcomes still name them");
  add("note", counts.holds, "artifact is held, whatever the retention policy says",
      "artifacts are held, whatever the retention policy says", "hold --list");
  return findings;
}

Result<json> lastRuns(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  json list = json::array();
  for (auto run = runs.rbegin(); run != runs.rend() && list.size() < kRunsShown; ++run) {
    ASSIGN_OR_RETURN(const auto outcomes, outcomesOfRun(archive, run->id));
    list.push_back({{"id", run->id},
                    {"kind", run->kind},
                    {"label", run->label},
                    {"reporter", run->reporter},
                    {"started", run->started},
                    {"finished", run->finished},
                    {"verdict", cutText(run->result, 80)},
                    {"outcomes", outcomes},
                    {"command_line", cutText(run->commandLine, kCommandLineBytes)}});
  }
  return list;
}

}  // namespace

Result<json> overviewPage(const PageContext& context, const PageParameters&) {
  const Archive& archive = context.archive;
  ASSIGN_OR_RETURN(auto builds, ownBuilds(archive));
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
                              {"product", productOf(build.name)},
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
  // The archive's own, the newest first; a run that has not finished has nothing to show yet.
  for (auto run = runs.rbegin(); run != runs.rend() && page["runs"].size() < kRunsShown; ++run)
    if (!run->finished.empty() && run->reporter.empty())
      page["runs"].push_back({{"id", run->id}, {"kind", run->kind}, {"started", run->started}});
  return page;
}

Result<json> healthPage(const PageContext& context, const PageParameters&) {
  const Archive& archive = context.archive;
  ASSIGN_OR_RETURN(const auto counts, archiveCounts(archive));
  ASSIGN_OR_RETURN(const auto producers, archivedProducers(archive));
  ASSIGN_OR_RETURN(const auto byBuild, outcomesByBuild(archive));
  ASSIGN_OR_RETURN(const auto builds, registeredBuilds(archive));
  const auto startable = std::ranges::count_if(builds, canStart);
  ASSIGN_OR_RETURN(auto runs, lastRuns(archive));
  int64_t outcomes = 0, failed = 0;
  for (const auto& [kind, count] : counts.outcomes) {
    outcomes += count;
    if (isFailure(kind)) failed += count;
  }
  return json{{"format", formatVersion()},
              {"index_bytes", counts.indexBytes},
              {"artifacts", {{"count", counts.artifacts}, {"producers", producers.size()}}},
              {"contents",
               {{"count", counts.contents},
                {"bytes", counts.contentBytes},
                {"stored_bytes", counts.storedBytes}}},
              {"outcomes", {{"count", outcomes}, {"failed", failed}}},
              {"builds", {{"count", counts.builds}, {"startable", startable}}},
              {"runs", {{"count", counts.runs}, {"unfinished", counts.unfinishedRuns}}},
              {"signed_lists", counts.signedLists},
              {"leases", counts.leases},
              {"findings", findingsOf(context, counts, startable,
                                      counts.builds - static_cast<int64_t>(byBuild.size()))},
              {"fsck_command", fmt::format("vintage fsck --archive {} --read-data",
                                           shellWord(context.archiveArgument))},
              {"last_runs", std::move(runs)}};
}

}  // namespace vintage::harness

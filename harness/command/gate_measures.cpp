#include "harness/command/gate_measures.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr std::string_view kRunsHere = "cpu";

const RuntimeDescription* named(const std::vector<RuntimeDescription>& releases,
                                const std::string& name) {
  const auto found = std::ranges::find(releases, name, &RuntimeDescription::name);
  return found == releases.end() ? nullptr : &*found;
}

std::set<std::string> casesThatCall(const RuntimeDescription& release, const std::string& target) {
  std::set<std::string> cases;
  for (const EmittedCall& call : release.emission.calls)
    if (call.name == target && call.platform == kRunsHere && call.mode == kEmittedByDefault &&
        !call.unlisted && !call.example.empty())
      cases.insert(call.example);
  return cases;
}

// Every release has them, and they call nothing.
constexpr const char* kPlainCases = "jax:add_dtypes*";

struct Parts {
  std::set<std::string> consumers, cases;
};
// By the version of the release, and the calling convention that it is asked for.
using PartsByExporter = std::map<std::pair<std::string, int>, Parts>;

// The first name that both lists have (and `among`, if it is given), or `preferred` if it is such a
// name. Empty: there is none.
std::string sharedOf(const std::vector<std::string>& one, const std::vector<std::string>& other,
                     std::string_view preferred, const std::vector<std::string>* among = nullptr) {
  std::string shared;
  for (const std::string& name : one)
    if (lists(other, name) && (!among || lists(*among, name)) &&
        (shared.empty() || name == preferred))
      shared = name;
  return shared;
}

}  // namespace

std::vector<ExportAndRun> whatWouldShow(const std::vector<Finding>& findings,
                                        const std::vector<RuntimeDescription>& releases) {
  PartsByExporter byExporter;
  for (const Finding& finding : findings) {
    const auto& [target, platform] = PlacedTarget::ofInstance(finding.instance);
    const bool isPlain = platform.empty();
    std::vector<std::string> consumers = finding.consumers;
    consumers.insert(consumers.end(), finding.stillRunsOn.begin(), finding.stillRunsOn.end());
    if ((platform != kRunsHere && !isPlain) || consumers.empty()) continue;
    const auto casesOf = [&](const RuntimeDescription& release) {
      return isPlain ? std::set<std::string>{kPlainCases} : casesThatCall(release, target);
    };
    for (const std::string& name : finding.exporters) {
      const RuntimeDescription* exporter = named(releases, name);
      if (exporter == nullptr) continue;
      Parts& parts = byExporter[{exporter->version, finding.exportedAs}];
      parts.cases.merge(casesOf(*exporter));
      for (const std::string& consumer : consumers)
        if (const RuntimeDescription* release = named(releases, consumer)) {
          parts.consumers.insert(release->version);
          // A consumer must run its own exports, or a failure there shows nothing.
          const auto own = casesOf(*release);
          if (own.empty()) continue;
          Parts& control = byExporter[{release->version, 0}];
          control.consumers.insert(release->version);
          control.cases.insert(own.begin(), own.end());
        }
    }
  }
  std::vector<ExportAndRun> wanted;
  for (const auto& [exporter, parts] : byExporter)
    if (!parts.cases.empty() && !parts.consumers.empty())
      wanted.push_back({exporter.first,
                        {parts.consumers.begin(), parts.consumers.end()},
                        {parts.cases.begin(), parts.cases.end()},
                        exporter.second});
  return wanted;
}

Result<JudgedSpeed> measureEnds(const GateEnds& ends, const Change& change,
                                const SpeedChoice& choice, Archive& archive, ProcessHost& host,
                                const MeasureProgress& progress) {
  std::set<std::tuple<ContentId, std::string, std::string>> failing;
  for (const BuildRecord* build : {&ends.before, &ends.after}) {
    ASSIGN_OR_RETURN(const auto outcomes, change.archive->outcomes(build->name));
    for (const OutcomeRecord& outcome : outcomes)
      if (outcome.outcome != OutcomeKind::kPass)
        failing.insert({outcome.artifact, outcome.platform, outcome.mode});
  }
  const auto& [before, after] = ends;
  SpeedPair pair{before, after, {before.name}, {after.name}, "", {}};
  const std::string mode = sharedOf(before.modes, after.modes, "graph");
  ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(windowFilter(change)));
  std::set<ContentId> seen;
  for (const SharedRecord& record : shareRecords(std::move(artifacts))) {
    const std::string platform =
        sharedOf(before.platforms, after.platforms, "", &record->platforms);
    if (mode.empty() || platform.empty() || record->golden.empty() ||
        failing.contains({record->id, platform, mode}) || !seen.insert(record->id).second ||
        !readsFormat(before, record->format) || !readsFormat(after, record->format))
      continue;
    pair.artifacts[{platform, mode}].push_back(record);
  }
  for (auto& [place, records] : pair.artifacts) records = speedSample(std::move(records));
  return measureSpeed({std::move(pair)}, choice, archive, host, progress);
}

}  // namespace vintage::harness

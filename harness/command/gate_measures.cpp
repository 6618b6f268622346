#include "harness/command/gate_measures.h"

#include <algorithm>
#include <map>
#include <set>

namespace vintage::harness::command {
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

struct Parts {
  std::set<std::string> consumers, cases;
};

}  // namespace

std::vector<ExportAndRun> whatWouldShow(const std::vector<Finding>& findings,
                                        const std::vector<RuntimeDescription>& releases) {
  std::map<std::string, Parts> byExporter;
  for (const Finding& finding : findings) {
    const auto& [target, platform] = PlacedTarget::ofInstance(finding.instance);
    if (platform != kRunsHere || finding.consumers.empty()) continue;
    for (const std::string& name : finding.exporters) {
      const RuntimeDescription* exporter = named(releases, name);
      if (exporter == nullptr) continue;
      Parts& parts = byExporter[exporter->version];
      parts.cases.merge(casesThatCall(*exporter, target));
      for (const std::string& consumer : finding.consumers)
        if (const RuntimeDescription* release = named(releases, consumer)) {
          parts.consumers.insert(release->version);
          // What it exports itself must run there, or a failure shows nothing.
          const auto own = casesThatCall(*release, target);
          if (own.empty()) continue;
          Parts& control = byExporter[release->version];
          control.consumers.insert(release->version);
          control.cases.insert(own.begin(), own.end());
        }
    }
  }
  std::vector<ExportAndRun> wanted;
  for (const auto& [exporter, parts] : byExporter)
    if (!parts.cases.empty() && !parts.consumers.empty())
      wanted.push_back({exporter,
                        {parts.consumers.begin(), parts.consumers.end()},
                        {parts.cases.begin(), parts.cases.end()}});
  return wanted;
}

Status measureFindings(const std::vector<ExportAndRun>& wanted, const MeasureRequest& request,
                       Archive& archive, Console& console) {
  auto host = makePosixProcessHost();
  EnvironmentRequest releases;
  releases.root = request.root;
  ASSIGN_OR_RETURN(auto problems,
                   exportAndRun(wanted, releases, jaxPolicy(), request.today, request.replay,
                                request.commandLine, archive, *host,
                                [&](const std::string& what, size_t done, size_t total) {
                                  if (total > 0)
                                    console.progress(what, done, total);
                                  else
                                    console.note(what);
                                }));
  for (const std::string& problem : problems) console.note(problem);
  return {};
}

}  // namespace vintage::harness::command

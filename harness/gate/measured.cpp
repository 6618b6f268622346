#include "harness/gate/measured.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace vintage::harness::gate {
namespace {

constexpr size_t kLongestMessage = 200;

std::string firstLine(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.size() > kLongestMessage) line = line.substr(0, kLongestMessage) + " …";
  return line;
}

}  // namespace

Status quoteRuns(const Change& change, Finding& finding) {
  if (finding.artifacts.empty()) return {};
  std::map<ContentId, std::string> names;
  for (const ArtifactRecord& artifact : finding.artifacts) names[artifact.id] = artifact.name;
  for (const std::string& runtime : finding.consumers) {
    const auto builds = change.registeredAs.find(runtime);
    if (builds == change.registeredAs.end()) continue;
    for (const std::string& build : builds->second) {
      ASSIGN_OR_RETURN(auto outcomes, change.archive->outcomes(build));
      RecordedRuns measured{build, 0, 0, "", ""};
      for (const OutcomeRecord& outcome : outcomes) {
        const auto name = names.find(outcome.artifact);
        if (name == names.end()) continue;
        ++measured.ran;
        if (outcome.outcome == OutcomeKind::kPass) continue;
        if (measured.failed++ > 0) continue;
        measured.artifact = name->second;
        measured.message = firstLine(outcome.detail);
        if (measured.message.empty()) measured.message = outcomeName(outcome.outcome);
      }
      if (measured.ran > 0) finding.measured.push_back(std::move(measured));
    }
  }
  return {};
}

std::string measuredText(const Finding& finding, const std::string& indent) {
  std::string out;
  for (const RecordedRuns& one : finding.measured) {
    out += fmt::format("{}measured on {}: {} of {} artifacts fail", indent, one.build, one.failed,
                       one.ran);
    out += one.failed > 0 ? fmt::format("; {}: '{}'\n", one.artifact, one.message) : "\n";
  }
  return out;
}

bool isConfirmed(const Finding& finding) {
  return std::ranges::any_of(finding.measured,
                             [](const RecordedRuns& one) { return one.failed > 0; });
}

bool isContradicted(const Finding& finding) {
  return !finding.measured.empty() && !isConfirmed(finding);
}

}  // namespace vintage::harness::gate

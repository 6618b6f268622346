#include "reports/custom_call_coverage.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "reports/text_table.h"

namespace vintage::reports {
namespace {

std::string cellsText(const std::map<std::string, CellCounts>& cells) {
  std::string text;
  for (const auto& [platform, counts] : cells) {
    std::string part;
    for (int cell = 0; cell < kCellCount; ++cell)
      if (const int64_t count = counts[static_cast<size_t>(cell)]; count > 0)
        part += fmt::format("{}{} {}", part.empty() ? "" : ", ", count,
                            cellName(static_cast<Cell>(cell)));
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", platform, part);
  }
  return text;
}

}  // namespace

std::vector<CustomCallCoverage> coverCustomCalls(std::span<const ArtifactRecord> artifacts,
                                                 std::span<const BuildRecord> builds,
                                                 const LimitationTables& tables) {
  std::unordered_map<ContentId, std::vector<const TableResult*>> results;
  for (const PrimitiveSummary& primitive : tables.primitives)
    for (const TableResult& result : primitive.results)
      results[result.artifact].push_back(&result);
  std::map<std::string, CustomCallCoverage> byTarget;
  for (const ArtifactRecord& artifact : artifacts) {
    const auto found = results.find(artifact.id);
    for (const std::string& target : artifact.customCallTargets) {
      const auto [entry, isNew] = byTarget.try_emplace(target);
      CustomCallCoverage& coverage = entry->second;
      coverage.target = target;
      coverage.oldest = isNew ? artifact.buildDate : std::min(coverage.oldest, artifact.buildDate);
      coverage.newest = std::max(coverage.newest, artifact.buildDate);
      ++coverage.artifacts;
      coverage.withGolden += !artifact.golden.empty();
      if (found == results.end()) continue;
      for (const TableResult* result : found->second)
        if (result->name == artifact.name)
          ++coverage.cells[result->platform][static_cast<size_t>(result->cell)];
    }
  }
  for (const BuildRecord& build : builds)
    for (const std::string& target : build.customCallTargets)
      if (const auto found = byTarget.find(target); found != byTarget.end())
        found->second.builds.push_back(build.name);
  std::vector<CustomCallCoverage> all;
  for (auto& [target, coverage] : byTarget) all.push_back(std::move(coverage));
  return all;
}

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage) {
  MarkdownTable table({"Target", "Artifacts", "With golden", "Producers built", "Recorded",
                       "Builds that register it"});
  for (const CustomCallCoverage& entry : coverage)
    table.addRow(
        {entry.target, std::to_string(entry.artifacts), std::to_string(entry.withGolden),
         entry.oldest == entry.newest
             ? formatDate(entry.oldest)
             : fmt::format("{} to {}", formatDate(entry.oldest), formatDate(entry.newest)),
         cellsText(entry.cells),
         entry.builds.empty() ? "none" : fmt::format("{}", fmt::join(entry.builds, ", "))});
  return table.empty() ? "No artifact calls a custom-call target.\n" : table.text();
}

}  // namespace vintage::reports

#include "reports/custom_call_coverage.h"

#include <fmt/format.h>

#include "reports/text_table.h"

namespace vintage::reports {
using namespace archive;

namespace {

std::string platformsText(const std::map<std::string, Tally>& cells) {
  std::string text;
  for (const auto& [platform, tally] : cells)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", platform, cellsText(tally));
  return text;
}

}  // namespace

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage) {
  MarkdownTable table({"Target", "Artifacts", "With golden", "Producers built", "Recorded",
                       "Builds that register it"});
  for (const CustomCallCoverage& entry : coverage)
    table.addRow(
        {entry.target, std::to_string(entry.artifacts), std::to_string(entry.withGolden),
         entry.oldest == entry.newest
             ? formatDate(entry.oldest)
             : fmt::format("{} to {}", formatDate(entry.oldest), formatDate(entry.newest)),
         platformsText(entry.cells),
         entry.builds.empty() ? "none" : fmt::format("{}", fmt::join(entry.builds, ", "))});
  return table.empty() ? "No artifact calls a custom-call target.\n" : table.text();
}

}  // namespace vintage::reports

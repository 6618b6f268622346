#include "harness/tables/measured_windows.h"

#include <fmt/format.h>

#include "harness/window/run_window.h"
#include "reports/markdown_table.h"

namespace vintage::harness::tables {
namespace {

std::string told(const std::optional<Measured::Place>& place) {
  if (!place) return "none";
  return fmt::format("{} of {} on {} of {}", place->producer, formatDate(place->producerDate),
                     place->build, formatDate(place->consumerDate));
}

std::string days(const std::optional<Measured::Place>& place) {
  if (!place) return "";
  return std::to_string(std::abs((place->consumerDate - place->producerDate).count()));
}

}  // namespace

Result<std::string> measuredWindowsMarkdown(const TableOptions& options, Archive& archive,
                                            ProcessHost& host) {
  WindowOptions window;
  window.choice.today = options.today;
  window.choice.beyond = Beyond::kAll;
  if (!options.modes.empty()) window.choice.modes = options.modes;
  window.run = false;
  ASSIGN_OR_RETURN(auto report, runWindow(window, archive, host, nullptr));
  MarkdownTable table({"Name", "Kind", "Platform", "Works", "Fails", "Oldest artifact that works",
                       "Oldest consumer that works", "Longest backward, days",
                       "Longest forward, days"});
  for (const auto& [key, measured] : report.measured)
    table.addRow({measured.name, measured.kind, measured.platform, std::to_string(measured.pass),
                  std::to_string(measured.fail), told(measured.oldestArtifact),
                  told(measured.oldestConsumer), days(measured.longestBackward),
                  days(measured.longestForward)});
  return table.empty() ? std::string("Nothing was recorded.\n") : table.text();
}

}  // namespace vintage::harness::tables

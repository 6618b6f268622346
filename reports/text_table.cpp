#include "reports/text_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::reports {

std::string textTable(std::span<const std::vector<std::string>> lines) {
  if (lines.empty()) return {};
  std::vector<size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    std::string told;
    for (size_t i = 0; i < line.size(); ++i)
      told += i + 1 < line.size() ? fmt::format("{:<{}}  ", line[i], widths[i]) : line[i];
    told.erase(told.find_last_not_of(' ') + 1);
    text += told + "\n";
  }
  return text;
}

}  // namespace vintage::reports

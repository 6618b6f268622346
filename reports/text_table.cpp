#include "reports/text_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::reports {
namespace {

constexpr std::string_view kMarkup = "|<>[]`\\";

std::string escaped(const std::string& cell) {
  // "**all**" is the one piece of markup that tables use.
  std::string text;
  for (const char character : cell) {
    if (character == '\n' || character == '\r' || character == '\t') {
      text += ' ';
      continue;
    }
    if (kMarkup.find(character) != std::string_view::npos) text += '\\';
    text += character;
  }
  return text;
}

}  // namespace

std::string textTable(std::span<const std::vector<std::string>> lines) {
  if (lines.empty()) return {};
  std::vector<size_t> widths(lines.front().size());
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    std::string shown;
    for (size_t i = 0; i < line.size(); ++i)
      shown += i + 1 < line.size() ? fmt::format("{:<{}}  ", line[i], widths[i]) : line[i];
    shown.erase(shown.find_last_not_of(' ') + 1);
    text += shown + "\n";
  }
  return text;
}

MarkdownTable::MarkdownTable(const std::vector<std::string>& heading) {
  addRow(heading);
  text_ += "|";
  for (size_t column = 0; column < heading.size(); ++column) text_ += " --- |";
  text_ += "\n";
  rows_ = 0;
}

void MarkdownTable::addRow(const std::vector<std::string>& cells, const std::string& link) {
  text_ += "|";
  for (size_t column = 0; column < cells.size(); ++column) {
    const bool linked = column == 0 && !link.empty();
    text_ += linked ? " [" + escaped(cells[column]) + "](" + link + ") |"
                    : " " + escaped(cells[column]) + " |";
  }
  text_ += "\n";
  ++rows_;
}

std::vector<std::vector<std::string>> mergeRows(std::vector<std::vector<std::string>> rows,
                                                size_t column) {
  std::vector<std::vector<std::string>> merged;
  std::map<std::vector<std::string>, size_t> places;  // By the other cells.
  for (auto& row : rows) {
    const std::string cell = std::exchange(row.at(column), "");
    const auto [found, isNew] = places.try_emplace(row, merged.size());
    if (isNew) {
      row[column] = cell;
      merged.push_back(std::move(row));
    } else {
      merged[found->second][column] += ", " + cell;
    }
  }
  return merged;
}

std::string someOf(std::span<const std::string> names, size_t shown) {
  const auto first = names.first(std::min(names.size(), shown));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (names.size() <= shown) return text;
  return fmt::format("{} and {} more", text, names.size() - shown);
}

}  // namespace vintage::reports

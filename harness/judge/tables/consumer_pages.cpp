#include "harness/judge/tables/consumer_table.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

using OrderedJson = nlohmann::ordered_json;
using Lines = std::vector<std::vector<std::string>>;

// Columns of one build whose cells are the same in all rows stand under one heading.
struct ColumnGroup {
  size_t column = 0;
  std::string heading;
};

std::vector<ColumnGroup> groupColumns(const ConsumerTable& table,
                                      const std::vector<CollapsedRow>& rows) {
  std::vector<ColumnGroup> groups;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ConsumerColumn& column = table.columns[i];
    if (!groups.empty()) {
      const size_t before = groups.back().column;
      const ConsumerColumn& last = table.columns[before];
      if (last.build == column.build && last.platform == column.platform &&
          std::ranges::all_of(
              rows, [&](const CollapsedRow& row) { return row.cells[before] == row.cells[i]; })) {
        groups.back().heading += ", " + column.mode;
        continue;
      }
    }
    groups.push_back({i, fmt::format("{} {} {}", column.build, column.platform, column.mode)});
  }
  return groups;
}

void addCountNames(std::vector<std::string>& line) {
  line.insert(line.end(), {"pass", std::string(cellName(Cell::kPermitted)), "compiled",
                           std::string(cellName(Cell::kNotComparable)), "declared"});
  for (const FailureClass failure : failureClasses()) line.emplace_back(failureClassName(failure));
  line.emplace_back("untested");
}

void addCounts(const Tally& tally, std::vector<std::string>& line) {
  const auto add = [&](int64_t count) { line.push_back(std::to_string(count)); };
  add(tally.passed() - tally[Cell::kPermitted]);
  add(tally[Cell::kPermitted]);
  add(tally[Cell::kCompiled]);
  add(tally[Cell::kNotComparable]);
  add(tally[Cell::kExpectedFailure]);
  for (const FailureClass failure : failureClasses()) {
    const auto found = tally.failures.find(failure);
    add(found == tally.failures.end() ? 0 : found->second);
  }
  add(untestedOf(tally));
}

Lines countLines(const ConsumerTable& table) {
  Lines lines{{"consumer", "released", "platform", "mode"}};
  addCountNames(lines[0]);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ConsumerColumn& column = table.columns[i];
    std::vector<std::string> line{column.build, formatDate(column.date), column.platform,
                                  column.mode};
    addCounts(table.totals[i], line);
    lines.push_back(std::move(line));
  }
  // Columns of zeros say nothing.
  for (size_t i = lines[0].size(); i-- > 0;)
    if (std::all_of(lines.begin() + 1, lines.end(),
                    [&](const auto& line) { return line[i] == "0"; }))
      for (auto& line : lines) line.erase(line.begin() + static_cast<std::ptrdiff_t>(i));
  return lines;
}

std::string legend(const ConsumerTable& table) {
  std::set<FailureClass> found;
  for (const Tally& tally : table.totals)
    for (const auto& [failure, number] : tally.failures) found.insert(failure);
  std::vector<std::string> parts;
  for (const FailureClass failure : found)
    if (failureClassWord(failure) != failureClassName(failure))
      parts.push_back(fmt::format("{}: {}", failureClassWord(failure), failureClassName(failure)));
  parts.emplace_back("~: some artifacts pass or compile");
  return fmt::format("{}.\n", fmt::join(parts, "; "));
}

bool passesWhereItRan(const CollapsedRow& row) {
  return std::ranges::all_of(row.cells, [](const std::string& cell) {
    return cell == "pass" || cell == "compiles" || cell == "untested";
  });
}

using ByDtypes = std::map<std::string, std::vector<std::string>>;

std::string text(const ByDtypes& primitives) {
  std::vector<std::string> parts;
  for (const auto& [dtypes, names] : primitives)
    parts.push_back(fmt::format("{}: {}", dtypes, fmt::join(names, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

struct Rows {
  Lines lines;       // With their heading.
  ByDtypes passing;  // Wherever they ran.
};

Rows rowLines(const ConsumerTable& table) {
  const std::vector<CollapsedRow> collapsed = collapseRows(table);
  const auto groups = groupColumns(table, collapsed);
  Rows rows;
  auto& heading = rows.lines.emplace_back();
  for (const ColumnGroup& group : groups) heading.push_back(group.heading);
  heading.emplace_back(kCollapsedHeading);
  for (const CollapsedRow& row : collapsed) {
    if (passesWhereItRan(row)) {
      for (const auto& [dtypes, names] : row.primitives)
        rows.passing[dtypes].insert(rows.passing[dtypes].end(), names.begin(), names.end());
      continue;
    }
    auto& line = rows.lines.emplace_back();
    for (const ColumnGroup& group : groups) line.push_back(row.cells[group.column]);
    line.push_back(text(row.primitives));
  }
  for (auto& [dtypes, names] : rows.passing) std::ranges::sort(names);
  return rows;
}

std::string neverRanText(const ConsumerTable& table) {
  if (table.neverRan.empty()) return "";
  return fmt::format("Never ran: {}.\n", fmt::join(table.neverRan, ", "));
}

std::string markdown(const Lines& lines) {
  MarkdownTable table(lines[0]);
  for (size_t i = 1; i < lines.size(); ++i) table.addRow(lines[i]);
  return table.text();
}

std::string htmlText(std::string_view text) {
  static const std::map<char, std::string_view> kEscapes{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string escaped;
  for (const char& character : text) {
    const auto found = kEscapes.find(character);
    escaped += found == kEscapes.end() ? std::string_view(&character, 1) : found->second;
  }
  return escaped;
}

std::string html(const Lines& lines) {
  std::string text = "<table>\n";
  for (size_t i = 0; i < lines.size(); ++i) {
    const char* const cell = i == 0 ? "th" : "td";
    text += "<tr>";
    for (const std::string& each : lines[i])
      text += fmt::format("<{0}>{1}</{0}>", cell, htmlText(each));
    text += "</tr>\n";
  }
  return text + "</table>\n";
}

std::string csvCell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char character : text) quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + "\"";
}

std::string csv(const ConsumerTable& table) {
  Lines lines{{"primitive", "dtype", "consumer", "released", "platform", "mode"}};
  addCountNames(lines[0]);
  for (const ConsumerRow& row : table.rows)
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const ConsumerColumn& column = table.columns[i];
      std::vector<std::string> line{row.primitive,           row.dtype,       column.build,
                                    formatDate(column.date), column.platform, column.mode};
      addCounts(row.cells[i], line);
      lines.push_back(std::move(line));
    }
  std::string text;
  for (const auto& line : lines)
    text += fmt::format("{}\n", fmt::join(line | std::views::transform(csvCell), ","));
  return text;
}

OrderedJson jsonOfTally(const Tally& tally) {
  OrderedJson failed = OrderedJson::object();
  for (const auto& [failure, number] : tally.failures)
    failed[std::string(failureClassName(failure))] = number;
  return OrderedJson{{"pass", tally.passed() - tally[Cell::kPermitted]},
                     {"differs_where_it_may", tally[Cell::kPermitted]},
                     {"compiled", tally[Cell::kCompiled]},
                     {"not_comparable", tally[Cell::kNotComparable]},
                     {"declared", tally[Cell::kExpectedFailure]},
                     {"failed", failed},
                     {"untested", untestedOf(tally)}};
}

}  // namespace

TableForm tableFormOf(std::string_view file) {
  if (file.ends_with(".md")) return TableForm::kMarkdown;
  if (file.ends_with(".html")) return TableForm::kHtml;
  if (file.ends_with(".json")) return TableForm::kJson;
  return file.ends_with(".csv") ? TableForm::kCsv : TableForm::kText;
}

OrderedJson consumerTableJson(const ConsumerTable& table) {
  OrderedJson document{{"format", "vintage consumer table"}, {"version", 1}};
  document["columns"] = OrderedJson::array();
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ConsumerColumn& column = table.columns[i];
    document["columns"].push_back({{"consumer", column.build},
                                   {"released", formatDate(column.date)},
                                   {"platform", column.platform},
                                   {"mode", column.mode},
                                   {"total", jsonOfTally(table.totals[i])}});
  }
  document["never_ran"] = table.neverRan;
  document["rows"] = OrderedJson::array();
  for (const ConsumerRow& row : table.rows) {
    OrderedJson cells = OrderedJson::array();
    for (const Tally& cell : row.cells) cells.push_back(jsonOfTally(cell));
    document["rows"].push_back(
        {{"primitive", row.primitive}, {"dtype", row.dtype}, {"cells", cells}});
  }
  return document;
}

std::string consumerTable(const ConsumerTable& table, TableForm form) {
  if (form == TableForm::kJson) return consumerTableJson(table).dump(1) + "\n";
  if (form == TableForm::kCsv) return csv(table);
  const std::string passing = "Passes or compiles wherever it ran";
  const Rows rows = rowLines(table);
  const std::string passed = text(rows.passing);
  switch (form) {
    case TableForm::kMarkdown: {
      std::string text = "# What works where\n\n## Artifacts by consumer and class of failure\n\n" +
                         markdown(countLines(table)) + (table.neverRan.empty() ? "" : "\n") +
                         neverRanText(table) + "\n## By primitive and dtype\n\n" + legend(table) +
                         "\n" + markdown(rows.lines);
      if (!rows.passing.empty()) text += fmt::format("\n## {}\n\n{}\n", passing, passed);
      return text;
    }
    case TableForm::kHtml: {
      std::string text =
          "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<title>What works where</title>\n<style>body{font:14px sans-serif}"
          "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 6px;"
          "text-align:left;vertical-align:top}</style></head><body>\n<h1>What works where</h1>\n" +
          html(countLines(table)) + htmlText(neverRanText(table)) +
          "<h2>By primitive and dtype</h2>\n" + htmlText(legend(table)) + html(rows.lines);
      if (!rows.passing.empty())
        text += fmt::format("<h2>{}</h2>\n<p>{}</p>\n", passing, htmlText(passed));
      return text + "</body></html>\n";
    }
    default:
      return textTable(countLines(table)) + neverRanText(table) + "\n" + legend(table) +
             textTable(rows.lines) +
             (rows.passing.empty() ? "" : fmt::format("\n{}: {}\n", passing, passed));
  }
}

}  // namespace vintage::harness

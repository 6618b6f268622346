// The table of all consumers as text, Markdown, HTML, JSON and CSV.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/judge/tables/consumer_table.h"

namespace vintage::harness {

enum class TableForm { kText, kMarkdown, kHtml, kJson, kCsv };
// By the end of a file's name: .md, .html, .json, .csv; text otherwise.
TableForm tableFormOf(std::string_view file);

// First the counts of each column by class, then the rows, collapsed where their cells are
// equal, and those that pass wherever they ran behind the others. CSV and JSON: every row with
// its numbers.
std::string consumerTable(const ConsumerTable& table, TableForm form);
nlohmann::ordered_json consumerTableJson(const ConsumerTable& table);

}  // namespace vintage::harness

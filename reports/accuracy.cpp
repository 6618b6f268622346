#include "reports/accuracy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/ulps.h"
#include "reports/text_table.h"

namespace vintage::reports {
using namespace golden;
using namespace archive;

namespace {

const std::vector<std::string> kHeading{"Primitive", "dtype",    "Platform",
                                        "Mode",      "Elements", "Largest",
                                        "Mean",      "Allowed",  "Place of the largest error"};

std::string ulps(int64_t distance) {
  return distance == kFarApart ? "far apart" : std::to_string(distance);
}

std::vector<std::string> cells(const AccuracyRow& row) {
  std::string where;
  if (row.differing > 0)
    where = fmt::format("{} {}: {}{} instead of {}", row.name, row.place,
                        row.input.empty() ? "" : fmt::format("of {}: ", row.input), row.actual,
                        row.expected);
  return {row.primitive,
          row.dtype,
          row.platform,
          row.mode,
          std::to_string(row.elements),
          ulps(row.largestUlps),
          fmt::format("{:.3g}", row.meanUlps),
          row.allowedUlps ? ulps(*row.allowedUlps) : "by another bound",
          where};
}

}  // namespace

std::string accuracyMarkdown(std::span<const AccuracyRow> rows) {
  MarkdownTable table(kHeading);
  for (const AccuracyRow& row : rows) table.addRow(cells(row));
  return table.text();
}

std::string accuracyText(std::span<const AccuracyRow> rows) {
  std::vector<std::vector<std::string>> lines{kHeading};
  for (const AccuracyRow& row : rows) lines.push_back(cells(row));
  return textTable(lines);
}

nlohmann::ordered_json accuracyJson(std::span<const AccuracyRow> rows) {
  auto all = nlohmann::ordered_json::array();
  for (const AccuracyRow& row : rows) {
    nlohmann::ordered_json entry{{"primitive", row.primitive}, {"dtype", row.dtype},
                                 {"platform", row.platform},   {"mode", row.mode},
                                 {"elements", row.elements},   {"differing", row.differing}};
    // Null: the result is NaN or infinity where it should not be, so there is no distance.
    entry["largest_ulps"] = row.largestUlps == kFarApart ? nlohmann::ordered_json()
                                                         : nlohmann::ordered_json(row.largestUlps);
    entry["finite"] = row.finite;
    entry["mean_ulps"] = row.meanUlps;
    entry["allowed_ulps"] =
        row.allowedUlps ? nlohmann::ordered_json(*row.allowedUlps) : nlohmann::ordered_json();
    entry["name"] = row.name;
    entry["place"] = row.place;
    entry["input"] = row.input;
    entry["expected"] = row.expected;
    entry["actual"] = row.actual;
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace vintage::reports

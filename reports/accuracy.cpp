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

std::optional<AccuracyRow> rowOf(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  for (const char* number : {"elements", "differing", "mean_ulps"})
    if (!json.contains(number) || !json[number].is_number()) return std::nullopt;
  const auto count = [&](const char* name) -> std::optional<int64_t> {
    const auto value = json.find(name);
    if (value == json.end() || !value->is_number_integer()) return std::nullopt;
    return value->get<int64_t>();
  };
  AccuracyRow row;
  for (const auto& [name, text] : {std::pair{"primitive", &row.primitive},
                                   {"dtype", &row.dtype},
                                   {"platform", &row.platform},
                                   {"mode", &row.mode},
                                   {"name", &row.name},
                                   {"place", &row.place},
                                   {"input", &row.input},
                                   {"expected", &row.expected},
                                   {"actual", &row.actual}}) {
    if (!json.contains(name) || !json[name].is_string()) return std::nullopt;
    *text = json[name];
  }
  row.elements = json["elements"];
  row.differing = json["differing"];
  row.largestUlps = count("largest_ulps").value_or(kFarApart);
  row.finite = count("finite").value_or(row.elements);  // Older reports do not have it.
  row.meanUlps = json["mean_ulps"];
  row.allowedUlps = count("allowed_ulps");
  return row;
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

std::string runNotesJson(const RunNotes& notes) {
  const nlohmann::ordered_json json{{"measured_on", notes.measuredOn},
                                    {"breakages", notes.breakages},
                                    {"accuracy", accuracyJson(notes.accuracy)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RunNotes parseRunNotes(std::string_view text) {
  RunNotes notes;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return notes;
  const auto list = [&](const char* field) {
    const auto found = json.find(field);
    return found == json.end() || !found->is_array() ? nlohmann::json::array() : *found;
  };
  if (const auto build = json.find("measured_on"); build != json.end() && build->is_string())
    notes.measuredOn = *build;
  for (const nlohmann::json& entry : list("accuracy"))
    if (auto row = rowOf(entry)) notes.accuracy.push_back(std::move(*row));
  for (const nlohmann::json& entry : list("breakages"))
    if (entry.is_string()) notes.breakages.push_back(entry);
  return notes;
}

}  // namespace vintage::reports

#include "harness/tables/recorded_accuracy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/tensor/ulps.h"

namespace vintage::harness::tables {
namespace {

using Json = nlohmann::json;

// The counterpart of accuracyJson(). What lacks a field is no row of ours.
std::optional<AccuracyRow> rowOf(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  for (const char* text :
       {"primitive", "dtype", "platform", "mode", "name", "place", "input", "expected", "actual"})
    if (!json.contains(text) || !json[text].is_string()) return std::nullopt;
  for (const char* number : {"elements", "differing", "mean_ulps"})
    if (!json.contains(number) || !json[number].is_number()) return std::nullopt;
  AccuracyRow row;
  row.primitive = json["primitive"];
  row.dtype = json["dtype"];
  row.platform = json["platform"];
  row.mode = json["mode"];
  row.elements = json["elements"];
  row.differing = json["differing"];
  const Json largest = json.value("largest_ulps", Json());
  row.largestUlps = largest.is_number_integer() ? largest.get<int64_t>() : kFarApart;
  row.meanUlps = json["mean_ulps"];
  const Json allowed = json.value("allowed_ulps", Json());
  if (allowed.is_number_integer()) row.allowedUlps = allowed.get<int64_t>();
  row.name = json["name"];
  row.place = json["place"];
  row.input = json["input"];
  row.expected = json["expected"];
  row.actual = json["actual"];
  return row;
}

bool ranOn(const Json& report, const std::string& build) {
  const Json pairs = report.value("pairs", Json());
  return pairs.is_array() && !pairs.empty() && pairs[0].is_object() &&
         pairs[0].value("build", Json()) == build;
}

}  // namespace

Result<std::vector<AccuracyRow>> recordedAccuracy(const Archive& archive,
                                                  const std::string& build) {
  ASSIGN_OR_RETURN(auto runs, archive.runs());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    ASSIGN_OR_RETURN(auto whole, archive.run(run->id));
    const Json report = Json::parse(whole.verdict, nullptr, false);
    if (!report.is_object() || !ranOn(report, build)) continue;
    const Json measured = report.value("accuracy", Json());
    if (!measured.is_array() || measured.empty()) continue;
    std::vector<AccuracyRow> rows;
    for (const Json& entry : measured)
      if (auto row = rowOf(entry)) rows.push_back(std::move(*row));
    if (!rows.empty()) return rows;
  }
  return std::vector<AccuracyRow>{};
}

}  // namespace vintage::harness::tables

#include "reports/run_notes.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "golden/tensor/ulps.h"
#include "reports/accuracy.h"

namespace vintage::reports {
using namespace golden;
using namespace archive;

namespace {

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

nlohmann::ordered_json cellsOf(const Tally& tally) {
  auto cells = nlohmann::ordered_json::object();
  for (int cell = 0; cell < kCellCount; ++cell)
    if (const int64_t count = tally[static_cast<Cell>(cell)]; count > 0)
      cells[std::string(cellName(static_cast<Cell>(cell)))] = count;
  return cells;
}

}  // namespace

std::string runNotesJson(const RunNotes& notes) {
  auto promises = nlohmann::ordered_json::array();
  for (const PromiseAnswer& answer : notes.promises)
    promises.push_back({{"promise", answer.promise},
                        {"verdict", verdictName(answer.verdict)},
                        {"cells", cellsOf(answer.tally)}});
  const nlohmann::ordered_json json{{"measured_on", notes.measuredOn},
                                    {"breakages", notes.breakages},
                                    {"reasons", notes.reasons},
                                    {"promises", std::move(promises)},
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

#include <nlohmann/json.hpp>

#include "archive/records/dtype_sets.h"
#include "reports/limitation_tables.h"

namespace vintage::reports {
using namespace archive;

namespace {

using Json = nlohmann::ordered_json;

Json jsonOf(const Tally& tally) {
  Json cells = Json::object();
  for (int cell = 0; cell < kCellCount; ++cell)
    if (const int64_t count = tally[static_cast<Cell>(cell)]; count != 0)
      cells[std::string(cellName(static_cast<Cell>(cell)))] = count;
  return cells;
}

Json jsonOf(const PrimitiveSummary& primitive) {
  Json json{{"primitive", primitive.primitive},
            {"harnesses", primitive.cases},
            {"dtypes_supported", compressDtypes(primitive.supported)},
            {"dtypes_not_tested", compressDtypes(primitive.notTested)}};
  Json& cells = json["cells"] = Json::array();
  for (const auto& [place, counts] : primitive.cells)
    cells.push_back({{"platform", place.first}, {"mode", place.second}, {"cells", jsonOf(counts)}});
  Json& dtypes = json["dtypes"] = Json::array();
  for (const auto& [key, counts] : primitive.dtypeCells)
    dtypes.push_back({{"dtype", std::get<0>(key)},
                      {"platform", std::get<1>(key)},
                      {"mode", std::get<2>(key)},
                      {"cells", jsonOf(counts)}});
  return json;
}

Json jsonOf(const LimitationSummary& summary) {
  const Limitation& limitation = summary.limitation;
  Json json{{"id", limitation.id},
            {"primitive", limitation.primitive},
            {"description", limitation.description},
            {"dtypes", limitation.dtypes.empty() ? std::vector<std::string>{"all"}
                                                 : compressDtypes(expandDtypes(limitation.dtypes))},
            {"platforms", limitation.platforms},
            {"modes", limitation.modes},
            {"variants", limitation.variants},
            {"issue", limitation.issue},
            {"since", limitation.since}};
  json["until"] = limitation.until ? Json(*limitation.until) : Json();
  json["skip_run"] = limitation.skipRun;
  json["cells"] = jsonOf(summary.cells);
  return json;
}

}  // namespace

std::string limitationTablesJson(const LimitationTables& tables) {
  Json json{{"format", "vintage limitation tables"},
            {"version", 1},
            {"run", tables.run},
            {"build", tables.build},
            {"generated", formatDate(tables.today)},
            {"modes", tables.modes},
            {"artifacts", tables.artifacts},
            {"artifacts_without_primitive", tables.withoutPrimitive},
            {"older_artifacts", tables.olderArtifacts},
            {"outcomes", tables.outcomes}};
  json["total"] = jsonOf(tables.total);
  json["primitives"] = Json::array();
  for (const PrimitiveSummary& primitive : tables.primitives)
    json["primitives"].push_back(jsonOf(primitive));
  json["limitations"] = Json::array();
  for (const LimitationSummary& summary : tables.limitations)
    json["limitations"].push_back(jsonOf(summary));
  json["contradictions"] = Json::array();
  for (const Pair& pair : tables.contradictions)
    json["contradictions"].push_back({{"primitive", pair.artifact->primitive},
                                      {"name", pair.artifact->name},
                                      {"platform", pair.outcome.platform},
                                      {"mode", pair.outcome.mode},
                                      {"cell", cellName(pair.cell)},
                                      {"outcome", outcomeName(pair.outcome.outcome)},
                                      {"stage", stageName(pair.outcome.stage)},
                                      {"detail", pair.outcome.detail},
                                      {"limitation", pair.outcome.limitation}});
  if (!tables.reporter.empty()) json["reporter"] = tables.reporter;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vintage::reports

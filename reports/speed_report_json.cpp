#include "reports/speed_report_fields.h"

#include "reports/speed_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

using nlohmann::json;

constexpr const char* kFormat = "vintage speed";
constexpr int kNewestVersion = 1;

constexpr auto kGrowthFields = [](auto& fields, auto& growth) {
  fields.always("sizes", growth.sizes);
  fields.required("exponent_before", growth.before);
  fields.required("exponent_after", growth.after);
  fields.required("change_low", growth.low);
  fields.required("change", growth.change);
  fields.required("change_high", growth.high);
  fields.derived("grew", growth.grew());
};

constexpr auto kFindingFields = [](auto& fields, auto& finding) {
  fields.required("class", finding.kind);
  fields.required("function", finding.function);
  fields.required("platform", finding.platform);
  fields.required("mode", finding.mode);
  fields.required("before", finding.before);
  fields.required("after", finding.after);
  fields.always("measured", finding.measured, kQuantityFields);
  fields.object("growth", finding.growth, kGrowthFields);
  fields.required("smallest", finding.smallest);
  fields.required("artifact", finding.artifact);
  fields.required("artifacts", finding.artifacts);
  fields.required("breaks", finding.breaks);
  fields.required("limitation", finding.limitation);
  fields.required("reason", finding.reason);
  fields.required("command", finding.command);
};

}  // namespace

json findingsJson(const std::vector<SpeedFinding>& findings) {
  json list = json::array();
  for (const SpeedFinding& finding : findings)
    list.push_back(JsonFieldWriter::write(finding, kFindingFields));
  return list;
}

json unnecessaryJson(const std::vector<UnnecessaryLimitation>& limitations) {
  json list = json::array();
  for (const UnnecessaryLimitation& one : limitations)
    list.push_back({{"limitation", one.limitation},
                    {"quantity", quantityName(one.quantity)},
                    {"function", one.function},
                    {"platform", one.platform},
                    {"mode", one.mode},
                    {"after", one.after}});
  return list;
}

json countsJson(const SpeedCounts& counts) {
  return {{"measured", counts.measured},
          {"not_measured", counts.notMeasured},
          {"no_difference", counts.noDifference},
          {"not_resolved", counts.notResolved}};
}

json toJson(const JudgedSpeed& speed) {
  json out = JsonFieldWriter::write(speed, kSpeedFields);
  const auto& verdict = speed.judgement.verdict;
  out["verdict"] = verdict ? json(verdictName(*verdict)) : json();
  return out;
}

json comparisonJson(const BuildComparison& comparison) {
  json out = JsonFieldWriter::write(comparison, kComparisonFields);
  out["format"] = kFormat;
  out["version"] = kNewestVersion;
  return out;
}

Result<BuildComparison> parseComparison(std::string_view text, std::string_view name) {
  ASSIGN_OR_RETURN(const auto document, parseDocument(text, name, kFormat, kNewestVersion));
  return readFields<BuildComparison>(document, name, kComparisonFields);
}

}  // namespace vintage::reports

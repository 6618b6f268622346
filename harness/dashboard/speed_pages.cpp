// Costs of builds beside each other: the comparisons that an archive's runs recorded, and one of
// them with its ranked changes and all that was measured.
#include <algorithm>
#include <ranges>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "archive/records/speed_report.h"
#include "golden/base/failures.h"
#include "harness/dashboard/pages.h"
#include "harness/judge/speed/measured_speed.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

// One comparison for each two builds, and of an artifact the newest measurement.
Result<SpeedReport> recordedSpeed(const PageContext& context) {
  ASSIGN_OR_RETURN(auto runs, recordedComparisons(context.archive));
  SpeedReport report;
  report.archiveArgument = context.archiveArgument;
  for (BuildComparison& run : runs) {
    SpeedReport one;
    one.comparisons.push_back(std::move(run));
    report.add(one);
  }
  for (BuildComparison& comparison : report.comparisons) {
    std::set<std::tuple<ContentId, std::string, std::string>> seen;
    std::vector<MeasuredArtifact> newest;
    for (MeasuredArtifact& one : std::views::reverse(comparison.artifacts))
      if (seen.insert({one.artifact, one.platform, one.mode}).second)
        newest.push_back(std::move(one));
    std::ranges::reverse(newest);
    comparison.artifacts = std::move(newest);
  }
  std::ranges::sort(report.comparisons, {}, [](const BuildComparison& one) {
    return std::tuple(one.afterDate, one.after, one.beforeDate, one.before);
  });
  return report;
}

json pairJson(const BuildComparison& comparison) {
  return {{"build", comparison.after},
          {"date", formatDate(comparison.afterDate)},
          {"beside", comparison.before},
          {"beside_date", formatDate(comparison.beforeDate)}};
}

// [value before, value after, low, ratio, high, rounds]
json measuredJson(const MeasuredQuantity& one) {
  return {one.before, one.after, one.ratio.low, one.ratio.value, one.ratio.high, one.ratio.rounds};
}

json changesJson(const std::vector<SpeedFinding>& findings) {
  json list = json::array();
  for (const SpeedFinding& finding : findings) {
    json exponents;
    if (finding.growth && finding.growth->grew())
      exponents = {finding.growth->before, finding.growth->after};
    list.push_back({{"class", finding.kind},
                    {"function", finding.function},
                    {"platform", finding.platform},
                    {"mode", finding.mode},
                    {"quantity", quantityName(finding.measured.quantity)},
                    {"measured", measuredJson(finding.measured)},
                    {"exponents", std::move(exponents)},
                    {"artifacts", finding.artifacts},
                    {"smallest", finding.smallest},
                    {"command", finding.command}});
  }
  return list;
}

json rowJson(const MeasuredArtifact& artifact) {
  json row{{"name", artifact.name}, {"platform", artifact.platform}, {"mode", artifact.mode}};
  if (!artifact.problem.empty()) row["problem"] = cutText(artifact.problem, 300);
  for (const MeasuredQuantity& one : artifact.quantities)
    row[std::string(quantityName(one.quantity))] = measuredJson(one);
  return row;
}

}  // namespace

Result<json> speedPage(const PageContext& context, const PageParameters&) {
  ASSIGN_OR_RETURN(const auto report, recordedSpeed(context));
  json pairs = json::array();
  for (const BuildComparison& comparison : report.comparisons)
    pairs.push_back(pairJson(comparison));
  return json{{"watched", SpeedReport::kWatched}, {"pairs", std::move(pairs)}};
}

Result<json> speedPairPage(const PageContext& context, const PageParameters& parameters) {
  ASSIGN_OR_RETURN(const auto build, required(parameters, "build"));
  ASSIGN_OR_RETURN(const auto beside, required(parameters, "beside"));
  ASSIGN_OR_RETURN(auto report, recordedSpeed(context));
  std::erase_if(report.comparisons, [&](const BuildComparison& one) {
    return one.after != build || one.before != beside;
  });
  if (report.comparisons.empty())
    return failure(Error::Kind::kNotFound,
                   fmt::format("{} was not measured beside {}", build, beside));
  const SpeedJudgement judgement = judgeSpeed(report);
  const SpeedCounts& counts = judgement.counts;
  json page = pairJson(report.comparisons.front());
  page["no_difference"] = counts.noDifference;
  page["not_resolved"] = counts.notResolved;
  page["more"] = changesJson(judgement.findings);
  page["less"] = changesJson(judgement.improvements);
  page["rows"] = json::array();
  for (const MeasuredArtifact& artifact : report.comparisons.front().artifacts)
    page["rows"].push_back(rowJson(artifact));
  return page;
}

}  // namespace vintage::harness

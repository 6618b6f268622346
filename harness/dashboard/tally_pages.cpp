// One build's column of the grid (by primitive) and of the matrix (by producer).
#include <array>
#include <tuple>

#include "archive/records/pair.h"
#include "archive/store/archive_counts.h"
#include "harness/dashboard/page_parts.h"
#include "harness/dashboard/pages.h"

namespace vintage::harness::dashboard {

using nlohmann::json;

namespace {

// In the order of the rows. What judge() gives stands here, all of it.
constexpr std::array kColumns{Cell::kPass, Cell::kExpectedFailure, Cell::kUnexpectedPass,
                              Cell::kFail, Cell::kRunnerError,     Cell::kCompiled};

// [name, platform, mode, pass, declared, unexpected, fail, broken, compiled]; the last one stands
// only where something was compiled.
json rowsOf(const std::vector<OutcomeTally>& tallies) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, std::array<int64_t, kColumns.size()>> rows;
  for (const OutcomeTally& tally : tallies) {
    auto& counts = rows[{tally.name, tally.platform, tally.mode}];
    const Cell cell = judge(tally.outcome, tally.limited);
    counts[static_cast<size_t>(std::ranges::find(kColumns, cell) - kColumns.begin())] +=
        tally.count;
  }
  json all = json::array();
  for (const auto& [key, counts] : rows) {
    json row{std::get<0>(key), std::get<1>(key), std::get<2>(key)};
    for (const int64_t count : counts) row.push_back(count);
    if (counts.back() == 0) row.erase(row.size() - 1);
    all.push_back(std::move(row));
  }
  return all;
}

Result<json> tallyPage(const PageContext& context, const PageParameters& parameters, TallyBy by) {
  ASSIGN_OR_RETURN(const auto build, required(parameters, "build"));
  ASSIGN_OR_RETURN(const auto tallies, tallyOutcomes(context.archive, build, by));
  return json{{"build", build}, {"cells", rowsOf(tallies)}};
}

}  // namespace

Result<json> columnPage(const PageContext& context, const PageParameters& parameters) {
  return tallyPage(context, parameters, TallyBy::kPrimitive);
}

Result<json> matrixPage(const PageContext& context, const PageParameters& parameters) {
  return tallyPage(context, parameters, TallyBy::kProducer);
}

}  // namespace vintage::harness::dashboard

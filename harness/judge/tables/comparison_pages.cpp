#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"
#include "harness/judge/tables/comparison.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

std::string countsOf(const Tally& tally) {
  if (ranOf(tally) == 0) return "";
  std::vector<std::string> parts{fmt::format("pass {}", tally.passed())};
  const int64_t declared = tally[Cell::kExpectedFailure];
  if (declared > 0) parts.push_back(fmt::format("declared {}", declared));
  for (const auto& [failure, number] : tally.failures)
    parts.push_back(fmt::format("{} {}", failureClassName(failure), number));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::map<Standing, int64_t> standings(const PublishedComparison& comparison) {
  std::map<Standing, int64_t> counts{{Standing::kHolds, 0},
                                     {Standing::kPartly, 0},
                                     {Standing::kLifted, 0},
                                     {Standing::kNotTried, 0}};
  for (const ComparedLimitation& one : comparison.limitations) ++counts[one.standing];
  return counts;
}

}  // namespace

std::string lackingText(const std::vector<Lacking>& lacking, std::string_view build,
                        std::string_view other) {
  if (lacking.empty())
    return fmt::format("{} can do all that {} can, of what ran on both\n", build, other);
  int64_t artifacts = 0;
  MarkdownTable table({"primitive", "dtypes", "artifacts", "class", "example", "message"});
  for (const Lacking& row : lacking) {
    artifacts += row.artifacts;
    table.addRow({row.primitive, fmt::format("{}", fmt::join(compressDtypes(row.dtypes), ", ")),
                  std::to_string(row.artifacts), std::string(failureClassName(row.failure)),
                  row.example, row.detail});
  }
  return fmt::format("# What {} cannot do and {} can\n\n{} artifacts.\n\n{}", build, other,
                     artifacts, table.text());
}

nlohmann::ordered_json lackingJson(const std::vector<Lacking>& lacking) {
  auto rows = nlohmann::ordered_json::array();
  for (const Lacking& row : lacking)
    rows.push_back({{"primitive", row.primitive},
                    {"class", failureClassName(row.failure)},
                    {"dtypes", row.dtypes},
                    {"artifacts", row.artifacts},
                    {"example", row.example},
                    {"detail", row.detail}});
  return rows;
}

std::string publishedPage(const PublishedComparison& comparison) {
  std::string text =
      fmt::format("# Published limitations beside {}\n\nOf {} published limitations:\n\n",
                  comparison.build, comparison.limitations.size());
  for (const auto& [standing, count] : standings(comparison))
    text += fmt::format("- {}: {}\n", standingName(standing), count);
  MarkdownTable table(
      {"primitive", "published", "dtypes", "devices", "modes", "today", "artifacts today"});
  for (const ComparedLimitation& one : comparison.limitations)
    table.addRow({one.published.primitive, one.published.description,
                  fmt::format("{}", fmt::join(one.published.dtypes, ", ")),
                  fmt::format("{}", fmt::join(one.published.devices, ", ")),
                  fmt::format("{}", fmt::join(one.published.modes, ", ")),
                  std::string(standingName(one.standing)), countsOf(one.today)});
  text += "\n" + table.text();
  MarkdownTable fresh({"primitive", "artifacts today"});
  for (const auto& [primitive, tally] : comparison.isNew)
    fresh.addRow({primitive, countsOf(tally)});
  if (!fresh.empty())
    text += fmt::format("\n## New: what fails and no published limitation names ({})\n\n{}",
                        comparison.isNew.size(), fresh.text());
  return text;
}

nlohmann::ordered_json publishedJson(const PublishedComparison& comparison) {
  nlohmann::ordered_json document{{"build", comparison.build}};
  for (const auto& [standing, count] : standings(comparison))
    document["standings"][std::string(standingName(standing))] = count;
  document["limitations"] = nlohmann::ordered_json::array();
  for (const ComparedLimitation& one : comparison.limitations)
    document["limitations"].push_back({{"primitive", one.published.primitive},
                                       {"description", one.published.description},
                                       {"dtypes", one.published.dtypes},
                                       {"devices", one.published.devices},
                                       {"modes", one.published.modes},
                                       {"standing", standingName(one.standing)},
                                       {"today", countsOf(one.today)}});
  document["new"] = nlohmann::ordered_json::object();
  for (const auto& [primitive, tally] : comparison.isNew)
    document["new"][primitive] = countsOf(tally);
  return document;
}

}  // namespace vintage::harness

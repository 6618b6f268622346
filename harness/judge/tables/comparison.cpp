#include "harness/judge/tables/comparison.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"
#include "golden/base/failures.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

struct Seen {
  bool ran = false, ranThere = false;
  bool passes = false, passesThere = false;
  const Pair* failed = nullptr;
};

// Published devices are CPUs, GPUs of any maker, and TPUs.
bool coversPlatform(const std::vector<std::string>& devices, const std::string& platform) {
  const std::string device = platform == "cuda" || platform == "rocm" ? "gpu" : platform;
  return admits(devices, device);
}

// Pairs that only compiled, are not comparable, or did not run show nothing about a published
// limitation.
Tally withoutCompiled(Tally tally) {
  for (const Cell cell :
       {Cell::kCompiled, Cell::kNotComparable, Cell::kUntested, Cell::kRunnerError})
    tally[cell] = 0;
  return tally;
}

Standing standingOf(const Tally& today) {
  if (ranOf(today) == 0) return Standing::kNotTried;
  if (today.passed() == 0) return Standing::kHolds;
  return ranOf(today) == today.passed() ? Standing::kLifted : Standing::kPartly;
}

std::string countsOf(const Tally& tally) {
  if (ranOf(tally) == 0) return "";
  std::vector<std::string> parts{fmt::format("pass {}", tally.passed() - tally[Cell::kPermitted])};
  if (const int64_t differ = tally[Cell::kPermitted]; differ > 0)
    parts.push_back(fmt::format("{} {}", cellName(Cell::kPermitted), differ));
  const int64_t declared = tally[Cell::kExpectedFailure];
  if (declared > 0) parts.push_back(fmt::format("declared {}", declared));
  for (const auto& [failure, number] : tally.failures)
    parts.push_back(fmt::format("{} {}", failureClassName(failure), number));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::map<Standing, int64_t> standings(const PublishedComparison& comparison) {
  using enum Standing;
  std::map<Standing, int64_t> counts{{kHolds, 0}, {kPartly, 0}, {kLifted, 0}, {kNotTried, 0}};
  for (const ComparedLimitation& one : comparison.limitations) ++counts[one.standing];
  return counts;
}

}  // namespace

Result<std::vector<Lacking>> lackingAgainst(const ConsumerTable& table, std::string_view build,
                                            std::string_view other) {
  std::map<SharedRecord, Seen> seen;
  for (const Pair& result : table.results) {
    const std::string& where = result.outcome.build;
    const bool passed = isSuccess(result.outcome.outcome);
    Seen& artifact = seen[result.artifact];
    if (result.outcome.outcome != OutcomeKind::kRunnerError) {
      artifact.ran |= where == build;
      artifact.ranThere |= where == other;
    }
    if (where == other) artifact.passesThere |= passed;
    if (where != build) continue;
    artifact.passes |= passed;
    if (!passed && result.outcome.outcome != OutcomeKind::kRunnerError) artifact.failed = &result;
  }
  const auto ranOnBoth = [](const auto& one) { return one.second.ran && one.second.ranThere; };
  if (std::ranges::none_of(seen, ranOnBoth))
    return unsupported("no artifact ran on both {} and {}, so that nothing can be said of them",
                       build, other);
  std::map<std::pair<std::string, FailureClass>, Lacking> lacking;
  for (const auto& [artifact, how] : seen) {
    if (!how.passesThere || how.passes || how.failed == nullptr) continue;
    const OutcomeRecord& outcome = how.failed->outcome;
    const FailureClass failure = *failureClassOf(outcome);
    Lacking& row = lacking[{artifact->primitive, failure}];
    row.primitive = artifact->primitive;
    row.failure = failure;
    for (const std::string& dtype : artifact->dtypes) row.dtypes.insert(jaxDtype(dtype));
    ++row.artifacts;
    if (row.example.empty() || artifact->name < row.example) {
      row.example = artifact->name;
      row.detail = outcome.detail.substr(0, outcome.detail.find('\n'));
    }
  }
  std::vector<Lacking> rows;
  for (auto& [key, row] : lacking) rows.push_back(std::move(row));
  return rows;
}

Result<std::vector<PublishedLimitation>> parsePublished(std::string_view text,
                                                        std::string_view file) {
  try {
    std::vector<PublishedLimitation> published;
    const nlohmann::json document = nlohmann::json::parse(text);
    const std::vector<std::string> all;
    for (const nlohmann::json& one : document.at("limitations"))
      published.push_back({one.at("primitive").get<std::string>(), one.value("description", ""),
                           one.value("dtypes", all), one.value("devices", all),
                           one.value("modes", all)});
    return published;
  } catch (const nlohmann::json::exception& exception) {
    return badInput(
        "{}: no list of published limitations: {}; what is read is {{\"limitations\": "
        "[{{\"primitive\": …, \"dtypes\": […], \"devices\": […], \"modes\": […]}}]}}",
        file, exception.what());
  }
}

std::string_view standingName(Standing standing) {
  constexpr std::string_view kNames[] = {"holds", "holds in part", "lifted", "not tried"};
  return kNames[static_cast<size_t>(standing)];
}

PublishedComparison comparePublished(const ConsumerTable& table, std::string_view build,
                                     std::vector<PublishedLimitation> published) {
  PublishedComparison comparison{std::string(build), {}, {}};
  std::set<std::string> named;
  for (PublishedLimitation& limitation : published) {
    named.insert(limitation.primitive);
    const std::set<std::string> dtypes = expandDtypes(limitation.dtypes);
    Tally today;
    for (const ConsumerRow& row : table.rows) {
      if (row.primitive != limitation.primitive) continue;
      if (!dtypes.empty() && !dtypes.contains(row.dtype)) continue;
      for (size_t i = 0; i < table.columns.size(); ++i) {
        const ConsumerColumn& column = table.columns[i];
        if (column.build == build && coversPlatform(limitation.devices, column.platform) &&
            admits(limitation.modes, column.mode))
          today.add(withoutCompiled(row.cells[i]));
      }
    }
    comparison.limitations.push_back({std::move(limitation), standingOf(today), today});
  }
  for (const ConsumerRow& row : table.rows) {
    if (named.contains(row.primitive)) continue;
    for (size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].build == build && !row.cells[i].failures.empty())
        comparison.isNew[row.primitive].add(withoutCompiled(row.cells[i]));
  }
  return comparison;
}

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
  for (const auto& [standing, count] : standings(comparison)) {
    std::vector<std::vector<std::string>> rows;
    for (const ComparedLimitation& one : comparison.limitations) {
      if (one.standing != standing) continue;
      const std::string today = countsOf(one.today);
      // Published words say nothing of today where nothing ran.
      rows.push_back(
          {standing == Standing::kNotTried ? "" : one.published.description,
           fmt::format("{}", fmt::join(one.published.devices, ", ")),
           fmt::format("{}", fmt::join(one.published.modes, ", ")),
           fmt::format("{} ({}{}{})", one.published.primitive,
                       fmt::join(one.published.dtypes, ", "), today.empty() ? "" : ": ", today)});
    }
    MarkdownTable table({"published", "devices", "modes", "primitives (dtypes: artifacts today)"});
    for (const auto& row : mergeRows(std::move(rows), 3)) table.addRow(row);
    if (!table.empty()) text += fmt::format("\n## {}\n\n{}", standingName(standing), table.text());
  }
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

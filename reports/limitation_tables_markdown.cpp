#include <algorithm>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"
#include "golden/base/typed_words.h"
#include "golden/base/utf8.h"
#include "reports/limitation_tables.h"
#include "reports/text_table.h"

namespace vintage::reports {
using namespace archive;

namespace {

constexpr size_t kLongestDetail = 160;
constexpr size_t kContradictionsTold = 200;
constexpr size_t kShownIdCharacters = 12;
constexpr const char* kAllPrimitives = "**all**";

std::string joined(const std::vector<std::string>& values, const char* whenEmpty) {
  return values.empty() ? whenEmpty : fmt::format("{}", fmt::join(values, ", "));
}

// "12 expected failures, 3 untested"
std::string recordedText(const Tally& tally) {
  const std::string text = cellsText(tally);
  return text.empty() ? "matches nothing" : text;
}

std::string coverage(const LimitationTables& tables, bool withResults) {
  MarkdownTable table({"Primitive", "Total test harnesses",
                       "dtypes supported on at least one platform",
                       "dtypes NOT tested on any platform"});
  for (const PrimitiveSummary& primitive : tables.primitives)
    table.addRow({primitive.primitive, std::to_string(primitive.cases),
                  joined(compressDtypes(primitive.supported), ""),
                  joined(compressDtypes(primitive.notTested), "")},
                 withResults ? resultPageName(primitive.primitive) : "");
  return table.text();
}

std::string partialSupport(const LimitationTables& tables, bool allModes) {
  MarkdownTable table({"Affected primitive", "Description of limitation", "Affected dtypes",
                       "Affected platforms", "Affected modes", "Recorded", "Id"});
  for (const LimitationSummary& summary : tables.limitations) {
    const Limitation& limitation = summary.limitation;
    if (limitation.modes.empty() != allModes) continue;
    std::string description = limitation.description;
    if (!limitation.variants.empty())
      description += fmt::format(" (variants: {})", fmt::join(limitation.variants, ", "));
    if (!limitation.issue.empty()) description += fmt::format(" [{}]", limitation.issue);
    if (limitation.until) description += fmt::format(" (until {})", *limitation.until);
    table.addRow(
        {limitation.primitive.empty() ? "every primitive" : limitation.primitive, description,
         limitation.dtypes.empty() ? "all"
                                   : joined(compressDtypes(expandDtypes(limitation.dtypes)), ""),
         joined(limitation.platforms, "all"), joined(limitation.modes, "all"),
         recordedText(summary.cells), limitation.id});
  }
  return table.empty() ? "None is declared.\n" : table.text();
}

std::string results(const LimitationTables& tables, bool withResults) {
  std::vector<std::string> heading{"Primitive", "Platform", "Mode"};
  std::vector<Cell> shown;
  for (int cell = 0; cell < kCellCount; ++cell) shown.push_back(static_cast<Cell>(cell));
  std::erase_if(shown, [&](Cell cell) { return tables.total[cell] == 0; });
  for (const Cell cell : shown) heading.emplace_back(cellName(cell));
  MarkdownTable table(heading);
  std::map<std::pair<std::string, std::string>, Tally> totals;
  const auto addRow = [&](const std::string& primitive, const auto& place, const Tally& tally) {
    std::vector<std::string> row{primitive, place.first, place.second};
    for (const Cell cell : shown) row.push_back(tally[cell] > 0 ? std::to_string(tally[cell]) : "");
    table.addRow(row, primitive == kAllPrimitives || !withResults ? "" : resultPageName(primitive));
  };
  for (const PrimitiveSummary& primitive : tables.primitives) {
    for (const auto& [place, tally] : primitive.cells) {
      totals[place].add(tally);
      if (std::max(tally[Cell::kPass], tally[Cell::kUntested]) < tally.total())
        addRow(primitive.primitive, place, tally);
    }
  }
  for (const auto& [place, tally] : totals) addRow(kAllPrimitives, place, tally);
  return table.text();
}

std::string partialDtypes(const LimitationTables& tables) {
  MarkdownTable table({"Primitive", "Platform", "Mode", "works", "expected to fail", "fails",
                       "partly works", "untested or stale"});
  for (const PrimitiveSummary& primitive : tables.primitives) {
    std::map<std::pair<std::string, std::string>, std::array<std::set<std::string>, 5>> places;
    for (const auto& [key, tally] : primitive.dtypeCells) {
      const auto& [dtype, platform, mode] = key;
      const int64_t good = tally.passed() + tally[Cell::kCompiled];
      const int64_t expected = tally[Cell::kExpectedFailure];
      const int64_t bad = tally[Cell::kFail] + tally[Cell::kRunnerError];
      const int kinds = (good > 0) + (expected > 0) + (bad > 0);
      const size_t column = kinds > 1 ? 3 : good ? 0 : expected ? 1 : bad ? 2 : 4;
      places[{platform, mode}][column].insert(dtype);
    }
    for (const auto& [place, columns] : places) {
      if (columns[1].empty() && columns[2].empty() && columns[3].empty()) continue;
      std::vector<std::string> row{primitive.primitive, place.first, place.second};
      for (const auto& dtypes : columns) row.push_back(joined(compressDtypes(dtypes), ""));
      table.addRow(row);
    }
  }
  return table.empty() ? "No primitive is partially implemented: every executed case passed.\n"
                       : table.text();
}

std::string contradictions(const LimitationTables& tables) {
  if (tables.contradictions.empty()) return "The recorded outcomes agree with the declarations.\n";
  MarkdownTable table({"Primitive", "Case", "Platform", "Mode", "", "Detail"});
  for (const Pair& pair : tables.contradictions | std::views::take(kContradictionsTold)) {
    const OutcomeRecord& outcome = pair.outcome;
    std::string detail = pair.cell == Cell::kUnexpectedPass
                             ? fmt::format("limitation {} says that it fails", outcome.limitation)
                             : fmt::format("{} in stage {}: {}", outcomeName(outcome.outcome),
                                           stageName(outcome.stage), outcome.detail);
    if (detail.size() > kLongestDetail)
      detail = fmt::format("{}…", wholeCharacters(detail, kLongestDetail));
    table.addRow({pair.artifact->primitive, pair.artifact->name, outcome.platform, outcome.mode,
                  std::string(cellName(pair.cell)), detail});
  }
  std::string text = table.text();
  if (tables.contradictions.size() > kContradictionsTold)
    text += fmt::format("\n{} more stand in the JSON form of these tables.\n",
                        tables.contradictions.size() - kContradictionsTold);
  return text;
}

std::string resultText(const Pair& pair) {
  const OutcomeRecord& outcome = pair.outcome;
  std::string text;
  if (pair.cell == Cell::kPermitted || pair.cell == Cell::kNotComparable ||
      (pair.cell == Cell::kPass && outcome.detail.find(kGoldenInDoubt) != std::string::npos))
    text = outcome.detail;
  else if (pair.cell != Cell::kUntested && isFailure(outcome.outcome))
    text = fmt::format("{} in stage {}: {}", outcomeName(outcome.outcome), stageName(outcome.stage),
                       outcome.detail);
  if (!outcome.limitation.empty())
    text += fmt::format("{}limitation {}", text.empty() ? "" : "; ", outcome.limitation);
  return text;
}

std::string platformsText(const std::map<std::string, Tally>& cells) {
  const auto text = [](const auto& one) {
    return fmt::format("{}: {}", one.first, cellsText(one.second));
  };
  return fmt::format("{}", fmt::join(cells | std::views::transform(text), "; "));
}

}  // namespace

std::string resultPageName(std::string_view primitive) {
  std::string name = "results/";
  for (const unsigned char letter : primitive) {
    const bool isPlain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                         letter == '_' || letter == '-';
    name += isPlain ? std::string(1, static_cast<char>(letter)) : fmt::format("={:02x}", letter);
  }
  return name + ".md";
}

std::string limitationTablesMarkdown(const LimitationTables& tables, bool withResults) {
  int64_t harnesses = 0;
  for (const PrimitiveSummary& primitive : tables.primitives) harnesses += primitive.cases;
  std::string text = "# Primitives with limited support\n\n";
  text += fmt::format(
      "*Last generated on: {}* (YYYY-MM-DD), generated from {}, {} artifacts, {} outcomes{}.\n\n",
      formatDate(tables.today), tables.run.empty() ? "every run" : "run " + tables.run,
      tables.artifacts, tables.outcomes,
      tables.build.empty() ? "" : fmt::format(", on {}", tables.build));
  text += fmt::format(
      "Each cell is one artifact on one platform in one mode ({}): {}. Left out are {} artifacts "
      "without a known primitive and {} older ones of the same names.\n\n",
      joined(tables.modes, "none"), recordedText(tables.total), tables.withoutPrimitive,
      tables.olderArtifacts);
  text += "These names stand for sets of dtypes:\n\n";
  for (const auto& [name, parts] : dtypeSets())
    text += fmt::format("  * `{}` = `{}`\n", name, fmt::join(parts, "`, `"));
  text += fmt::format(
      "\n## Supported data types for primitives\n\nA set of {} test harnesses tests {} primitives. "
      "A primitive is supported for a dtype where a harness with that dtype passed on at least "
      "one platform.\n\n",
      harnesses, tables.primitives.size());
  text += coverage(tables, withResults);
  text += "\n## Partially implemented data types for primitives\n\n" + partialDtypes(tables);
  text += "\n## Declared limitations in every mode\n\n" + partialSupport(tables, true);
  text += "\n## Declared limitations by mode\n\n" + partialSupport(tables, false);
  text +=
      "\n## Results by platform and mode\n\nA primitive that a platform passes in whole, "
      "or that has no recorded outcome there, appears only in its totals.\n\n" +
      results(tables, withResults);
  text += "\n## Contradictions of the declarations\n\n" + contradictions(tables);
  return text;
}

std::string resultPageMarkdown(const PrimitiveSummary& primitive, const std::string& archive) {
  std::string text = fmt::format(
      "# Results of `{}`\n\nOne line for each artifact, platform and mode. "
      "`vintage explain ID --archive {}` explains one, `vintage replay --archive {} --id ID "
      "--platform P --mode M` runs it again.\n\n",
      primitive.primitive, shellWord(archive), shellWord(archive));
  MarkdownTable table({"Case", "Platform", "Mode", "Variant", "Cell", "Id", "Recorded outcome"});
  for (const Pair& pair : primitive.results)
    table.addRow({pair.artifact->name, pair.outcome.platform, pair.outcome.mode,
                  pair.artifact->variant, std::string(cellName(pair.cell)),
                  pair.artifact->id.substr(0, kShownIdCharacters), resultText(pair)});
  return text + table.text();
}

std::string customCallCoverageMarkdown(std::span<const CustomCallCoverage> coverage) {
  MarkdownTable table({"Target", "Artifacts", "With golden", "Producers built", "Recorded",
                       "Builds that register it"});
  for (const CustomCallCoverage& entry : coverage)
    table.addRow(
        {entry.target, std::to_string(entry.artifacts), std::to_string(entry.withGolden),
         entry.oldest == entry.newest
             ? formatDate(entry.oldest)
             : fmt::format("{} to {}", formatDate(entry.oldest), formatDate(entry.newest)),
         platformsText(entry.cells),
         entry.builds.empty() ? "none" : fmt::format("{}", fmt::join(entry.builds, ", "))});
  return table.empty() ? "No artifact calls a custom-call target.\n" : table.text();
}

}  // namespace vintage::reports

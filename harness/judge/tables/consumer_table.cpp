#include "harness/judge/tables/consumer_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/dtype_sets.h"
#include "golden/base/failures.h"
#include "golden/base/typed_words.h"
#include "harness/judge/runs/named_runs.h"
#include "harness/judge/speed/measured_speed.h"
#include "harness/runtimes/builds/builds.h"

namespace vintage::harness {
using namespace archive;

namespace {

class ConsumerTableMaker {
 public:
  explicit ConsumerTableMaker(std::vector<ArtifactRecord> artifacts,
                              std::vector<OutcomeRecord> outcomes)
      : outcomes_(std::move(outcomes)) {
    table_.artifacts = shareRecords(std::move(artifacts));
  }

  ConsumerTable make(const std::vector<BuildRecord>& builds) {
    makeColumns(builds);
    assign();
    table_.totals.resize(table_.columns.size());
    std::map<std::pair<std::string, std::string>, std::vector<Tally>> rows;
    for (const Pair& pair : table_.results) {
      const size_t column = columnOf(pair.outcome);
      table_.totals[column].add(pair);
      forEachRow(*pair.artifact, rows, [&](std::vector<Tally>& cells) { cells[column].add(pair); });
    }
    countUntested(rows);
    for (auto& [key, cells] : rows)
      table_.rows.push_back({key.first, key.second, std::move(cells)});
    return std::move(table_);
  }

 private:
  void makeColumns(const std::vector<BuildRecord>& builds) {
    std::map<std::string, Date> dates;
    for (const BuildRecord& build : builds) dates[build.name] = build.buildDate;
    std::set<std::tuple<Date, std::string, std::string, std::string>> columns;
    std::unordered_set<std::string> chosen;
    for (const SharedRecord& artifact : table_.artifacts) chosen.insert(artifact->id);
    std::erase_if(outcomes_,
                  [&](const OutcomeRecord& outcome) { return !chosen.contains(outcome.artifact); });
    for (const OutcomeRecord& outcome : outcomes_)
      columns.emplace(dates[outcome.build], outcome.build, outcome.platform, outcome.mode);
    for (const auto& [date, build, platform, mode] : columns) {
      columns_[{build, platform, mode}] = table_.columns.size();
      table_.columns.push_back({build, date, platform, mode});
    }
  }

  // An outcome counts for each artifact with its content and golden.
  void assign() {
    std::unordered_multimap<std::string, SharedRecord> byContent;
    for (const SharedRecord& artifact : table_.artifacts) byContent.emplace(artifact->id, artifact);
    for (const OutcomeRecord& outcome : outcomes_) {
      const auto [first, last] = byContent.equal_range(outcome.artifact);
      for (auto found = first; found != last; ++found) {
        if (!outcome.golden.empty() && outcome.golden != found->second->golden) continue;
        Pair& pair = table_.results.emplace_back();
        pair.artifact = found->second;
        pair.outcome = outcome;
        pair.cell = outcome.outcome == OutcomeKind::kCompiled ? Cell::kCompiled : judge(outcome);
      }
    }
  }

  size_t columnOf(const OutcomeRecord& outcome) const {
    return columns_.at({outcome.build, outcome.platform, outcome.mode});
  }

  template <typename Rows, typename Visit>
  void forEachRow(const ArtifactRecord& artifact, Rows& rows, const Visit& visit) {
    if (artifact.primitive.empty()) return;
    std::set<std::string> dtypes;
    for (const std::string& dtype : artifact.dtypes) dtypes.insert(jaxDtype(dtype));
    for (const std::string& dtype : dtypes) {
      auto& cells = rows[{artifact.primitive, dtype}];
      cells.resize(table_.columns.size());
      visit(cells);
    }
  }

  // Counts artifacts for a column's platform that did not run there.
  template <typename Rows>
  void countUntested(Rows& rows) {
    std::set<std::pair<SharedRecord, size_t>> ran;
    for (const Pair& pair : table_.results) ran.emplace(pair.artifact, columnOf(pair.outcome));
    for (const SharedRecord& artifact : table_.artifacts)
      for (size_t column = 0; column < table_.columns.size(); ++column) {
        if (ran.contains({artifact, column})) continue;
        if (!lists(artifact->platforms, table_.columns[column].platform)) continue;
        ++table_.totals[column][Cell::kUntested];
        forEachRow(*artifact, rows,
                   [&](std::vector<Tally>& cells) { ++cells[column][Cell::kUntested]; });
      }
  }

  std::vector<OutcomeRecord> outcomes_;
  std::map<std::tuple<std::string, std::string, std::string>, size_t> columns_;
  ConsumerTable table_;
};

}  // namespace

int64_t untestedOf(const Tally& tally) {
  return tally[Cell::kUntested] + tally[Cell::kRunnerError];
}
int64_t ranOf(const Tally& tally) { return tally.total() - untestedOf(tally); }

std::string tallyText(const Tally& tally) {
  if (ranOf(tally) == 0) return "untested";
  const int64_t compiled = tally[Cell::kCompiled];
  std::vector<std::string_view> kinds;
  for (const auto& [failure, number] : tally.failures) kinds.push_back(failureClassWord(failure));
  if (tally[Cell::kExpectedFailure] > 0) kinds.emplace_back("declared");
  if (kinds.empty()) {
    if (compiled > 0) kinds.emplace_back("compiles");
    if (tally[Cell::kPass] + tally[Cell::kUnexpectedPass] > 0 && compiled == 0)
      kinds.emplace_back("pass");
    for (const Cell cell : {Cell::kPermitted, Cell::kNotComparable})
      if (tally[cell] > 0) kinds.push_back(cellName(cell));
    return fmt::format("{}", fmt::join(kinds, "+"));
  }
  return fmt::format("{}{}", tally.passed() + compiled > 0 ? "~" : "", fmt::join(kinds, "+"));
}

Result<ConsumerTable> makeConsumerTable(const Archive& archive, const ConsumerChoice& choice) {
  ASSIGN_OR_RETURN(auto known, registeredBuilds(archive));
  for (const std::string& name : choice.builds)
    if (std::ranges::find(known, name, &BuildRecord::name) == known.end())
      return notFound("{}: no build is registered as '{}'", archive.folder(), name);
  OutcomeFilter filter;
  filter.builds = choice.builds;
  filter.modes = choice.modes;
  if (!choice.reporter.empty()) {
    ASSIGN_OR_RETURN(auto reported, resultsReportedBy(archive, choice.reporter));
    filter.runs = std::move(reported.runs);
  }
  std::vector<OutcomeRecord> outcomes;
  RETURN_IF_ERROR(archive.forEachOutcome(filter, [&](const OutcomeRecord& outcome) {
    outcomes.push_back(outcome);
    return true;
  }));
  ArtifactFilter artifactFilter;
  artifactFilter.producers = choice.producers;
  ASSIGN_OR_RETURN(auto artifacts, archive.list(artifactFilter));
  ConsumerTable table = ConsumerTableMaker(std::move(artifacts), std::move(outcomes)).make(known);
  if (table.columns.empty())
    return nothingToJudge(
        "{}: nothing was recorded of such artifacts on {}; run 'vintage replay' first",
        archive.folder(),
        choice.builds.empty() ? "any build" : fmt::format("{}", fmt::join(choice.builds, ", ")));
  std::set<std::string> ran;
  for (size_t column = 0; column < table.columns.size(); ++column)
    if (ranOf(table.totals[column]) > 0) ran.insert(table.columns[column].build);
  for (const BuildRecord& build : known) {
    const bool chosen = !choice.builds.empty()
                            ? lists(choice.builds, build.name)
                            : build.kind != "facts" && isOwn(build) && choice.reporter.empty();
    if (chosen && !ran.contains(build.name)) table.neverRan.push_back(build.name);
  }
  if (!choice.builds.empty() && !table.neverRan.empty())
    return unsupported(
        "{}: {} never ran such artifacts, so that nothing can be said of it; run 'vintage replay "
        "--archive {} --build {}' first",
        archive.folder(), fmt::join(table.neverRan, ", "), shellWord(archive.folder()),
        shellWord(table.neverRan.front()));
  if (choice.reporter.empty()) {
    ASSIGN_OR_RETURN(table.measured, recordedComparisons(archive));
  }
  return table;
}

std::vector<CollapsedRow> collapseRows(const ConsumerTable& table) {
  using Cells = std::vector<std::string>;
  std::map<Cells, std::map<std::string, std::set<std::string>>> dtypesByCells;
  for (const ConsumerRow& row : table.rows) {
    Cells cells;
    for (const Tally& cell : row.cells) cells.push_back(tallyText(cell));
    dtypesByCells[cells][row.primitive].insert(row.dtype);
  }
  std::multimap<size_t, CollapsedRow, std::greater<>> byNumber;
  for (const auto& [cells, dtypesByPrimitive] : dtypesByCells) {
    CollapsedRow row{cells, {}};
    for (const auto& [primitive, dtypes] : dtypesByPrimitive)
      row.primitives[fmt::format("{}", fmt::join(compressDtypes(dtypes), ", "))].push_back(
          primitive);
    byNumber.emplace(dtypesByPrimitive.size(), std::move(row));
  }
  std::vector<CollapsedRow> rows;
  for (auto& [number, row] : byNumber) rows.push_back(std::move(row));
  return rows;
}

}  // namespace vintage::harness

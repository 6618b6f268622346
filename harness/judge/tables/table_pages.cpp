#include "harness/judge/tables/table_pages.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/visible_text.h"
#include "harness/judge/tables/limitation_tables.h"
#include "harness/judge/window/run_window.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/replay/plan.h"
#include "harness/runtimes/builds/builds.h"
#include "reports/accuracy.h"
#include "reports/run_notes.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

namespace fs = std::filesystem;

// From the reporter's newest run that measured on `build`; empty where none did.
Result<std::vector<AccuracyRow>> recordedAccuracy(const Archive& archive, const std::string& build,
                                                  const std::string& reporter) {
  ASSIGN_OR_RETURN(auto runs, archive.runs());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->reporter != reporter) continue;
    ASSIGN_OR_RETURN(auto whole, archive.run(run->id));
    RunNotes notes = parseRunNotes(whole.verdict);
    if (notes.measuredOn == build && !notes.accuracy.empty()) return std::move(notes.accuracy);
  }
  return std::vector<AccuracyRow>{};
}

constexpr std::string_view kGeneratedOn = "*Last generated on:";

std::string heading(const std::string& title, const RecordedTables& recorded, Date today) {
  return fmt::format("# {}\n\n{} {}* (YYYY-MM-DD), on {}.\n\n", title, kGeneratedOn,
                     formatDate(today), recorded.build);
}

// Below the title, where the results are not the archive's own.
void nameReporter(const std::string& reporter, TablePage& page) {
  const size_t title = page.text.find('\n');
  if (reporter.empty() || page.name.ends_with(".json") || title == page.text.npos) return;
  page.text.insert(title, fmt::format("\n\nAs reported by {}.", reporter));
}

// The newest build with an outcome in `runs`; empty: in those that count.
Result<std::string> newestBuildWithOutcomes(const Archive& archive,
                                            const std::vector<BuildRecord>& builds,
                                            const std::vector<std::string>& runs) {
  for (auto build = builds.rbegin(); build != builds.rend(); ++build) {
    OutcomeFilter filter;
    filter.builds = {build->name};
    filter.runs = runs;
    ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
    if (!outcomes.empty()) return build->name;
  }
  return nothingToJudge(
      "{}: nothing was recorded on any of {} builds; run 'vintage nightly' or 'vintage replay' "
      "first",
      archive.folder(), builds.size());
}

// One that knows nothing where none of that name is kept.
BuildRecord buildOf(const std::vector<BuildRecord>& builds, const std::string& name) {
  const auto found = std::ranges::find(builds, name, &BuildRecord::name);
  return found == builds.end() ? BuildRecord{} : *found;
}

// The limitations of the archive's own newest run that has some, and those that the archive
// declares of consumers: a reporter declares nothing.
Result<std::vector<Limitation>> newestLimitations(const Archive& archive,
                                                  const std::vector<RunRecord>& runs) {
  std::vector<Limitation> limitations;
  for (auto run = runs.rbegin(); run != runs.rend() && limitations.empty(); ++run) {
    if (!run->reporter.empty()) continue;
    ASSIGN_OR_RETURN(limitations, archive.limitations(run->id));
  }
  ASSIGN_OR_RETURN(auto ofConsumers, consumerLimitations(archive));
  std::ranges::move(ofConsumers, std::back_inserter(limitations));
  return limitations;
}

// The lines that count in a comparison.
std::string lasting(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(kGeneratedOn)) kept += line + "\n";
  return kept;
}

std::string placeText(const std::optional<Measured::Place>& place) {
  if (!place) return "none";
  return fmt::format("{} of {} on {} of {}", place->producer, formatDate(place->producerDate),
                     place->build, formatDate(place->consumerDate));
}

std::string days(const std::optional<Measured::Place>& place) {
  if (!place) return "";
  return std::to_string(std::abs((place->consumerDate - place->producerDate).count()));
}

// The oldest artifact and the oldest consumer that work, by primitive and target.
// Judges what is recorded; runs nothing.
Result<std::string> measuredWindowsMarkdown(const TableOptions& options,
                                            const ReportedResults& reported, Archive& archive,
                                            ProcessHost& host) {
  WindowOptions window;
  window.choice.runs = reported.runs;
  window.consumers = reported.builds;
  window.choice.today = options.today;
  window.choice.beyond = Beyond::kAll;
  if (!options.modes.empty()) window.choice.modes = options.modes;
  window.run = false;
  ASSIGN_OR_RETURN(auto report, runWindow(window, archive, host, nullptr));
  MarkdownTable table({"Name", "Kind", "Platform", "Works", "Fails", "Oldest artifact that works",
                       "Oldest consumer that works", "Longest backward, days",
                       "Longest forward, days"});
  for (const auto& [key, measured] : report.measured)
    table.addRow({measured.name, measured.kind, measured.platform,
                  std::to_string(measured.tally.passed()),
                  std::to_string(measured.tally[Cell::kFail]), placeText(measured.oldestArtifact),
                  placeText(measured.oldestConsumer), days(measured.longestBackward),
                  days(measured.longestForward)});
  return table.empty() ? std::string("Nothing was recorded.\n") : table.text();
}

}  // namespace

Result<RecordedTables> readTables(const TableOptions& options, const Archive& archive) {
  RecordedTables recorded;
  if (!options.reporter.empty()) {
    ASSIGN_OR_RETURN(recorded.reported, resultsReportedBy(archive, options.reporter));
  }
  ASSIGN_OR_RETURN(recorded.builds,
                   options.reporter.empty() ? ownBuilds(archive) : registeredBuilds(archive));
  recorded.build = options.build;
  if (recorded.build.empty()) {
    ASSIGN_OR_RETURN(recorded.build,
                     newestBuildWithOutcomes(archive, recorded.builds, recorded.reported.runs));
  }
  OutcomeFilter filter;
  filter.builds = {recorded.build};
  filter.latestOnly = false;
  ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
  ASSIGN_OR_RETURN(const auto runs, archive.runs());
  std::set<std::string> counted;
  for (const RunRecord& run : runs)
    if (run.kind != kProbingRun && run.reporter == options.reporter) counted.insert(run.id);
  std::erase_if(outcomes,
                [&](const OutcomeRecord& outcome) { return !counted.contains(outcome.run); });
  ASSIGN_OR_RETURN(recorded.artifacts, archive.list({}));
  ASSIGN_OR_RETURN(auto limitations, newestLimitations(archive, runs));
  LimitationTablesInput input;
  input.today = options.today;
  input.build = recorded.build;
  input.platforms = buildOf(recorded.builds, recorded.build).platforms;
  input.modes = options.modes;
  if (input.modes.empty()) {
    std::set<std::string> modes;
    for (const OutcomeRecord& outcome : outcomes) modes.insert(outcome.mode);
    input.modes.assign(modes.begin(), modes.end());
  }
  input.artifacts = recorded.artifacts;
  input.outcomes = outcomes;
  input.limitations = limitations;
  ASSIGN_OR_RETURN(recorded.tables, makeLimitationTables(input));
  recorded.tables.reporter = options.reporter;
  return recorded;
}

Result<std::vector<TablePage>> makeTablePages(const TableOptions& options, Archive& archive,
                                              ProcessHost& host) {
  ASSIGN_OR_RETURN(auto recorded, readTables(options, archive));
  const auto wanted = [&](const char* page) {
    return options.pages.empty() || options.pages.contains(page);
  };
  std::vector<TablePage> pages;
  if (wanted("limitations"))
    pages.push_back(
        {"limitations.md", limitationTablesMarkdown(recorded.tables, wanted("results"))});
  if (wanted("limitations_json"))
    pages.push_back({"limitations.json", limitationTablesJson(recorded.tables)});
  if (wanted("accuracy")) {
    ASSIGN_OR_RETURN(auto rows, recordedAccuracy(archive, recorded.build, options.reporter));
    const BuildRecord build = buildOf(recorded.builds, recorded.build);
    std::erase_if(rows, [&](const AccuracyRow& row) {
      return !isEmulated(row.platform) && !isBuildsOwn(build, row.platform);
    });
    pages.push_back(
        {"accuracy.md",
         heading("Accuracy in units in the last place", recorded, options.today) +
             (rows.empty() ? "No run on this build measured it.\n" : accuracyMarkdown(rows))});
  }
  if (wanted("custom_calls"))
    pages.push_back(
        {"custom_calls.md", heading("Custom-call targets", recorded, options.today) +
                                customCallCoverageMarkdown(coverCustomCalls(
                                    recorded.artifacts, recorded.builds, recorded.tables))});
  if (wanted("windows")) {
    ASSIGN_OR_RETURN(auto text, measuredWindowsMarkdown(options, recorded.reported, archive, host));
    pages.push_back({"windows.md", heading("Measured windows", recorded, options.today) + text});
  }
  if (wanted("results"))
    for (const PrimitiveSummary& primitive : recorded.tables.primitives)
      pages.push_back({resultPageName(primitive.primitive),
                       resultPageMarkdown(primitive, options.archiveArgument)});
  for (TablePage& page : pages) {
    nameReporter(options.reporter, page);
    page.text = visible(page.text);
  }
  return pages;
}

Status writeTablePages(const fs::path& folder, std::span<const TablePage> pages) {
  for (const TablePage& page : pages) {
    const fs::path path = folder / page.name;
    std::error_code problem;
    fs::create_directories(path.parent_path(), problem);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page.text;
    file.close();
    if (problem || !file)
      return ioError("{}: cannot write it; choose another folder with --out", path.string());
  }
  return {};
}

std::vector<std::string> compareTablePages(const fs::path& folder,
                                           std::span<const TablePage> pages) {
  std::vector<std::string> problems;
  for (const TablePage& page : pages) {
    std::ifstream file(folder / page.name, std::ios::binary);
    std::ostringstream kept;
    kept << file.rdbuf();
    const std::string place = (folder / page.name).string();
    if (!file.is_open())
      problems.push_back(place + ": the page is missing");
    else if (kept.str().empty())
      problems.push_back(place + ": the page is empty");
    else if (lasting(kept.str()) != lasting(page.text))
      problems.push_back(place + ": the page is out of date");
  }
  return problems;
}

}  // namespace vintage::harness

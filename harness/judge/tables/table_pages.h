// The pages of `vintage tables`: recorded results joined with declarations.
//
//   limitations.md     coverage, partial support and limitations, as JAX publishes them
//   limitations.json   the same for programs
//   accuracy.md        errors in ulps by primitive and dtype, of the newest run that measured
//   custom_calls.md    custom-call targets: artifacts, goldens, results, builds
//   windows.md         the oldest artifacts and consumers that really work
//   results/NAME.md    each result of a primitive, which the cells lead to
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/judge/runs/named_runs.h"
#include "reports/limitation_tables.h"

namespace vintage::harness {

struct TableOptions {
  Date today{};
  std::string build;               // Empty: the newest with an outcome.
  std::vector<std::string> modes;  // Empty: those with an outcome of the build.
  std::set<std::string> pages;     // Some of kTablePages; empty: all.
  std::string archiveArgument;     // As it goes into commands.
  std::string reporter = {};       // Whose results the tables hold; empty: the archive's.
};
inline constexpr const char* kTablePages[] = {"limitations",  "limitations_json", "accuracy",
                                              "custom_calls", "windows",          "results"};

struct TablePage {
  std::string name;  // "results/add.md"
  std::string text;
};

// The recorded outcomes of one build, joined with the declarations of its newest run. kNothing
// where none is recorded.
struct RecordedTables {
  std::string build;
  ReportedResults reported;  // Empty if `reporter` is.
  std::vector<archive::ArtifactRecord> artifacts;
  std::vector<archive::BuildRecord> builds;
  reports::LimitationTables tables;
};
Result<RecordedTables> readTables(const TableOptions& options, const archive::Archive& archive);

Result<std::vector<TablePage>> makeTablePages(const TableOptions& options,
                                              archive::Archive& archive, ProcessHost& host);

Status writeTablePages(const std::filesystem::path& folder, std::span<const TablePage> pages);

// The outdated pages in `folder`, a line each: missing, empty, or different. Lines that say when
// and from which run a page was generated do not count. Empty: all are current.
std::vector<std::string> compareTablePages(const std::filesystem::path& folder,
                                           std::span<const TablePage> pages);

}  // namespace vintage::harness

// All consumers side by side: rows are primitives and dtypes, columns builds, platforms and modes.
// Every number comes from recorded outcomes.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/pair.h"
#include "archive/records/speed_report.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

struct ConsumerColumn {
  std::string build;
  Date date{};
  std::string platform, mode;
  bool operator==(const ConsumerColumn&) const = default;
};

// "pass", "compiles", "declared", "unimplemented", "~crash+unimplemented", "untested": how
// artifacts ended in one cell. Where the consumer broke, nothing is known of the artifact. "~":
// some pass, or compile.
std::string tallyText(const archive::Tally& tally);
int64_t untestedOf(const archive::Tally& tally);
int64_t ranOf(const archive::Tally& tally);

struct ConsumerRow {
  std::string primitive;
  std::string dtype;                  // In JAX's spelling.
  std::vector<archive::Tally> cells;  // One for each column.
};

struct ConsumerTable {
  std::vector<ConsumerColumn> columns;  // By date, build, platform and mode.
  // One for each column; counts every artifact once, those without a primitive too.
  std::vector<archive::Tally> totals;
  std::vector<ConsumerRow>
      rows;  // By primitive and dtype. An artifact counts for each of its dtypes.
  // Builds that can be started and have no recorded outcome: they have no column.
  std::vector<std::string> neverRan;
  std::vector<archive::SharedRecord> artifacts;
  std::vector<archive::Pair> results;  // Of `artifacts`; of several outcomes the latest.
  // Measurements of any build (docs/reference/speed.md).
  std::vector<archive::BuildComparison> measured;
};

// Empty: all with recorded outcomes.
struct ConsumerChoice {
  std::vector<std::string> builds, modes;
  std::vector<std::string> producers;  // Of the artifacts.
  std::string reporter = {};           // Whose results it holds; empty: the archive's own.
};
// kNothing where no outcome is recorded, kUnsupported where a chosen build has none.
Result<ConsumerTable> makeConsumerTable(const archive::Archive& archive,
                                        const ConsumerChoice& choice);

// Rows with equal cells: primitives by their dtypes, which have the fewest names.
struct CollapsedRow {
  std::vector<std::string> cells;
  std::map<std::string, std::vector<std::string>> primitives;
};
inline constexpr std::string_view kCollapsedHeading = "dtypes: primitives";
// Those that hold most primitives first.
std::vector<CollapsedRow> collapseRows(const ConsumerTable& table);

enum class TableForm { kText, kMarkdown, kHtml, kJson, kCsv };
// By the end of a file's name: .md, .html, .json, .csv; text otherwise.
TableForm tableFormOf(std::string_view file);

// First the counts of each column by class, then the rows, collapsed where their cells are
// equal, and those that pass or compile wherever they ran behind the others. CSV and JSON: every
// row with its numbers.
std::string consumerTable(const ConsumerTable& table, TableForm form);
nlohmann::ordered_json consumerTableJson(const ConsumerTable& table);

}  // namespace vintage::harness

// What works where, of all consumers side by side: rows are primitives and dtypes, columns
// builds, platforms and modes. Every number comes from recorded outcomes.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/tables/room.h"
#include "harness/verdict/failure_class.h"

namespace vintage::harness::tables {

struct ConsumerColumn {
  std::string build;
  Date date{};
  std::string platform, mode;
  bool operator==(const ConsumerColumn&) const = default;
};

// How artifacts ended in one cell. A failure that a limitation declared is in `declared` only.
struct ConsumerTally {
  int64_t passed = 0, compiled = 0, declared = 0, untested = 0;
  std::map<FailureClass, int64_t> failed;
  bool operator==(const ConsumerTally&) const = default;
  int64_t ran() const;
  bool allPass() const { return passed > 0 && ran() == passed; }
};
// "pass", "compiles", "declared", "not implemented", "partly: crash, not implemented", "untested"
std::string tallyText(const ConsumerTally& tally);

struct ConsumerRow {
  std::string primitive;
  std::string dtype;                 // In JAX's spelling.
  std::vector<ConsumerTally> cells;  // One for each column.
};

// One artifact in one column; of several outcomes the latest.
struct ConsumerResult {
  const ArtifactRecord* artifact = nullptr;
  size_t column = 0;
  OutcomeRecord outcome;
};

struct ConsumerTable {
  std::vector<ConsumerColumn> columns;  // By date, build, platform and mode.
  // One for each column; counts every artifact once, those without a primitive too.
  std::vector<ConsumerTally> totals;
  std::vector<ConsumerRow>
      rows;  // By primitive and dtype. An artifact counts for each of its dtypes.
  std::vector<ArtifactRecord> artifacts;
  std::vector<ConsumerResult> results;  // Of `artifacts`.
};

// Only these; empty: all of which something is recorded.
struct ConsumerChoice {
  std::vector<std::string> builds, modes;
  std::vector<std::string> producers;  // Of the artifacts.
};
// kNotFound where nothing is recorded.
Result<ConsumerTable> makeConsumerTable(const Archive& archive, const ConsumerChoice& choice);

// Rows with equal cells under one heading: dtypes of a primitive in the fewest names.
struct CollapsedRow {
  std::string primitive, dtypes;
  std::vector<std::string> cells;
};
std::vector<CollapsedRow> collapseRows(const ConsumerTable& table);

}  // namespace vintage::harness::tables

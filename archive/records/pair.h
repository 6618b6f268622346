// An artifact on a build, what came of it, and what that says of what was declared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/failure_class.h"
#include "archive/records/records.h"
#include "golden/base/date.h"

namespace vintage::archive {

// An outcome joined with the declarations.
enum class Cell {
  kPass,
  kExpectedFailure,  // It failed, and a limitation says that it does.
  kUnexpectedPass,   // It passed although a limitation says that it fails: delete the limitation.
  kFail,
  kUntested,       // Nothing was recorded.
  kStale,          // Something was recorded, by an earlier run than the one reported.
  kRunnerError,    // The consumer broke, and nothing is known of the artifact.
  kFlaky,          // Its outcomes on one build changed back and forth.
  kCompiled,       // A compiler took it, and nothing ran.
  kPermitted,      // It passed, and differs in what a specification leaves open.
  kNotComparable,  // It ran, and nothing says whether it is right.
};
inline constexpr int kCellCount = static_cast<int>(Cell::kNotComparable) + 1;
std::string_view cellName(Cell cell);  // "pass", "expected failure", …

// `limitation` is whether a declared one covers what was run.
Cell judge(const OutcomeRecord& outcome, bool limitation);
// By the limitation that was recorded with it.
Cell judge(const OutcomeRecord& outcome);

// The pairs of an artifact share its record.
using SharedRecord = std::shared_ptr<const ArtifactRecord>;
std::vector<SharedRecord> shareRecords(std::vector<ArtifactRecord> records);

// One artifact on one build, platform and mode.
struct Pair {
  SharedRecord artifact;
  OutcomeRecord outcome;  // Names build, platform and mode also where nothing was recorded.
  Cell cell = Cell::kUntested;
  Date consumerDate{};  // When the build was built.
  std::string promise;  // "backward", "forward"; empty: neither covers the pair.
  std::string command;  // Reproduces or explains it: "vintage replay --archive A …".
  int64_t count = 1;    // All that share the content and the program.
};

// How pairs ended.
struct Tally {
  std::array<int64_t, kCellCount> cells{};
  std::map<FailureClass, int64_t> failures;  // Of what fails undeclared.

  int64_t& operator[](Cell cell) { return cells[static_cast<size_t>(cell)]; }
  int64_t operator[](Cell cell) const { return cells[static_cast<size_t>(cell)]; }
  void add(const Pair& pair);
  void add(const Tally& other);
  int64_t total() const;
  int64_t passed() const {
    return (*this)[Cell::kPass] + (*this)[Cell::kUnexpectedPass] + (*this)[Cell::kPermitted];
  }
  bool operator==(const Tally&) const = default;
};
// "12 pass, 3 expected failure": the cells that have any.
std::string cellsText(const Tally& tally);

}  // namespace vintage::archive

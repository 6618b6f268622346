#include "archive/records/pair.h"

#include <numeric>

#include <fmt/format.h>

namespace vintage::archive {

std::string_view cellName(Cell cell) {
  static constexpr std::array<std::string_view, kCellCount> kNames{
      "pass",          "expected failure", "unexpected pass", "fail",     "untested",
      "stale",         "runner error",     "flaky",           "compiled", "differs where it may",
      "not comparable"};
  const auto index = static_cast<size_t>(cell);
  return index < kNames.size() ? kNames[index] : "unknown";
}

Cell judge(const OutcomeRecord& outcome, bool limitation) {
  if (outcome.outcome == OutcomeKind::kRunnerError) return Cell::kRunnerError;
  if (outcome.outcome == OutcomeKind::kNotComparable) return Cell::kNotComparable;
  if (isSuccess(outcome.outcome)) {
    if (limitation) return Cell::kUnexpectedPass;
    if (differsWhereItMay(outcome)) return Cell::kPermitted;
    return outcome.outcome == OutcomeKind::kPass ? Cell::kPass : Cell::kCompiled;
  }
  return limitation ? Cell::kExpectedFailure : Cell::kFail;
}
Cell judge(const OutcomeRecord& outcome) { return judge(outcome, !outcome.limitation.empty()); }

std::vector<SharedRecord> shareRecords(std::vector<ArtifactRecord> records) {
  std::vector<SharedRecord> shared;
  shared.reserve(records.size());
  for (ArtifactRecord& record : records)
    shared.push_back(std::make_shared<const ArtifactRecord>(std::move(record)));
  return shared;
}

void Tally::add(const Pair& pair) {
  (*this)[pair.cell] += pair.count;
  if (pair.cell != Cell::kFail) return;
  if (const auto failure = failureClassOf(pair.outcome)) failures[*failure] += pair.count;
}

void Tally::add(const Tally& other) {
  for (size_t cell = 0; cell < cells.size(); ++cell) cells[cell] += other.cells[cell];
  for (const auto& [failure, count] : other.failures) failures[failure] += count;
}

int64_t Tally::total() const { return std::accumulate(cells.begin(), cells.end(), int64_t{0}); }

std::string cellsText(const Tally& tally) {
  std::string text;
  for (int cell = 0; cell < kCellCount; ++cell)
    if (const int64_t count = tally[static_cast<Cell>(cell)]; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count,
                          cellName(static_cast<Cell>(cell)));
  return text;
}

}  // namespace vintage::archive

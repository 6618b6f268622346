// The verdict of a run, from its pairs and from what it could not run.
#include "reports/run_report.h"
#include "reports/run_report_parts.h"

namespace vintage::reports {
namespace {

void countPair(const ReplayedPair& pair, PairCounts& counts) {
  switch (cellOf(pair)) {
    case Cell::kPass:
    case Cell::kUnexpectedPass:
      ++counts.passed;
      break;
    case Cell::kCompiled:
      ++counts.compiled;
      break;
    case Cell::kRunnerError:
      ++counts.unknown;
      break;
    case Cell::kFail:
      ++counts.failed;
      break;
    default:
      ++counts.expectedFailures;
  }
}

// Judges the pairs of one promise, or all of them (null).
Verdict judgePairs(const RunSummary& summary, const std::string_view* promise) {
  const auto concerns = [&](std::string_view other) { return !promise || other == *promise; };
  PairCounts counts;
  for (const ReplayedPair& pair : summary.pairs)
    if (concerns(pair.promise)) countPair(pair, counts);
  for (const SameProgram& same : summary.samePrograms) {
    if (!promise || same.promise != *promise) continue;
    for (const ReplayedPair& pair : summary.pairs)
      if (pair.build == same.build && pair.producer == same.producer && !pair.promise.empty())
        countPair(pair, counts);
  }
  for (const SkippedPair& skip : summary.skipped)
    counts.missing += !skip.declared && concerns(skip.promise);
  for (const MissingPart& missing : summary.missing) counts.missing += concerns(missing.promise);
  counts.unknown += static_cast<int64_t>(summary.breakages.size());
  return verdictOf(counts);
}

}  // namespace

RunCounts countPairs(const RunSummary& summary) {
  RunCounts counts;
  counts.ran = static_cast<int64_t>(summary.pairs.size());
  for (const ReplayedPair& pair : summary.pairs) {
    ++counts.cells[static_cast<size_t>(cellOf(pair))];
    ++counts.outcomes[pair.outcome];
    if (!isSuccess(pair.outcome)) ++counts.stages[{pair.outcome, pair.stage}];
    if (const auto failure = failureClassOf(pair.outcome, pair.stage, pair.detail))
      ++counts.failures[*failure];
  }
  counts.cells[static_cast<size_t>(Cell::kUntested)] = static_cast<int64_t>(summary.skipped.size());
  return counts;
}

Verdict verdictOf(const RunSummary& summary) {
  Verdict whole = judgePairs(summary, nullptr);
  for (const std::string& promise : summary.judgedPromises)
    whole = together(whole, verdictOf(summary, promise));
  return whole;
}
Verdict verdictOf(const RunSummary& summary, std::string_view promise) {
  return judgePairs(summary, &promise);
}

}  // namespace vintage::reports

#include "archive/records/run_summary.h"

#include <algorithm>
#include <set>
#include <utility>

namespace vintage::archive {
namespace {

// The pairs of one promise, or all of them (null).
Tally tallyOf(const RunSummary& summary, const std::string_view* promise) {
  const auto concerns = [&](std::string_view other) { return !promise || other == *promise; };
  Tally tally;
  for (const Pair& pair : summary.pairs)
    if (concerns(pair.promise)) tally.add(pair);
  for (const SameProgram& same : summary.scope.samePrograms) {
    if (!promise || same.promise != *promise) continue;
    for (const Pair& pair : summary.pairs)
      if (pair.outcome.build == same.build && pair.artifact->producer == same.producer &&
          !pair.promise.empty())
        tally.add(pair);
  }
  return tally;
}

Verdict judgePairs(const RunSummary& summary, const std::string_view* promise) {
  const auto concerns = [&](std::string_view other) { return !promise || other == *promise; };
  Tally tally = tallyOf(summary, promise);
  int64_t missing = 0;
  for (const Pair& skip : summary.skipped) missing += !isDeclared(skip) && concerns(skip.promise);
  for (const MissingPart& part : summary.scope.missing) missing += concerns(part.promise);
  tally[Cell::kUntested] += static_cast<int64_t>(summary.breakages.size());
  return verdictOf(tally, missing);
}

}  // namespace

RunCounts countPairs(const RunSummary& summary) {
  RunCounts counts;
  for (const Pair& pair : summary.pairs) {
    const OutcomeRecord& outcome = pair.outcome;
    counts.tally.add(pair);
    ++counts.outcomes[outcome.outcome];
    if (isFailure(outcome.outcome)) ++counts.stages[{outcome.outcome, outcome.stage}];
    if (const auto failure = failureClassOf(outcome)) ++counts.failures[*failure];
  }
  counts.tally[Cell::kUntested] += static_cast<int64_t>(summary.skipped.size());
  return counts;
}

Verdict verdictOf(const RunSummary& summary) {
  Verdict whole = judgePairs(summary, nullptr);
  for (const std::string& promise : summary.scope.promises)
    whole = together(whole, verdictOf(summary, promise));
  if (summary.speed && summary.speed->judgement.verdict)
    whole = together(whole, *summary.speed->judgement.verdict);
  return whole;
}
Verdict verdictOf(const RunSummary& summary, std::string_view promise) {
  return judgePairs(summary, &promise);
}

Conclusion conclusionOf(const RunSummary& summary, const RunCounts& counts) {
  const Counted counted{counts.tally, static_cast<int64_t>(summary.pairs.size()),
                        static_cast<int64_t>(summary.skipped.size()), missingParts(summary),
                        static_cast<int64_t>(summary.breakages.size())};
  std::vector<std::string> details = summary.breakages;
  for (const MissingPart& missing : summary.scope.missing)
    details.push_back("missing: " + unjudgedText(missing.part));
  if (summary.speed) {
    const std::vector<std::string>& reasons = summary.speed->judgement.reasons;
    details.insert(details.end(), reasons.begin(), reasons.end());
  }
  return conclude(verdictOf(summary), counted, std::move(details));
}

RunNotes notesOf(const RunSummary& summary, std::string measuredOn) {
  RunNotes notes{std::move(measuredOn),
                 summary.accuracy,
                 summary.breakages,
                 conclusionOf(summary, countPairs(summary)).reasons,
                 {}};
  for (const std::string_view promise : promisesOf(summary))
    notes.promises.push_back(
        {std::string(promise), verdictOf(summary, promise), tallyOf(summary, &promise)});
  return notes;
}

std::vector<std::string> promisesOf(const RunSummary& summary) {
  std::set<std::string> promises(summary.scope.promises.begin(), summary.scope.promises.end());
  for (const Pair& pair : summary.pairs)
    if (!pair.promise.empty()) promises.insert(pair.promise);
  return {promises.begin(), promises.end()};
}

int64_t missingParts(const RunSummary& summary) {
  return static_cast<int64_t>(summary.scope.missing.size()) +
         std::ranges::count(summary.skipped, false, &isDeclared);
}

}  // namespace vintage::archive

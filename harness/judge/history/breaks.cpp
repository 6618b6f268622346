#include "harness/judge/history/breaks.h"

#include <algorithm>
#include <cctype>

#include "harness/judge/history/upstream_issues.h"

namespace vintage::harness {
using namespace archive;

namespace {

// LAPACK's and BLAS's names begin with the type: s, d, c or z.
bool isTypeOfSolver(std::string_view message, size_t place) {
  const std::string_view before = message.substr(0, place);
  return (before.ends_with("lapack_") || before.ends_with("blas_")) &&
         std::string_view("sdcz").find(message[place]) != std::string_view::npos;
}

}  // namespace

std::string firstLine(std::string_view detail) {
  return std::string(detail.substr(0, detail.find('\n')));
}

std::string signatureOf(std::string_view message) {
  std::string signature;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (isTypeOfSolver(message, i)) {
      signature += '*';
      continue;
    }
    if (c == '\'' || c == '"') {
      const size_t end = message.find(c, i + 1);
      if (end != message.npos) {
        signature += "'…'";
        i = end;
        continue;
      }
    }
    if (std::isdigit(static_cast<unsigned char>(c))) {
      if (!signature.ends_with('#')) signature += '#';
    } else {
      signature += c;
    }
  }
  return signature;
}

namespace {

// What failures of one cause share. What a crash says last, and how far values differ, is
// of the artifact.
std::string causeOf(const ArtifactRecord& record, OutcomeKind outcome, const std::string& message) {
  switch (outcome) {
    case OutcomeKind::kMismatch:
    case OutcomeKind::kTimeout:
      return record.primitive;
    case OutcomeKind::kCrash:
      return record.customCallTargets.empty() ? record.primitive : "calls of targets";
    default:
      return signatureOf(message);
  }
}

}  // namespace

void BreakCollector::add(const ArtifactRecord& record, const OutcomeRecord& outcome,
                         size_t producer, size_t consumer, bool fresh, int64_t days,
                         Promise promise) {
  const std::string message = firstLine(outcome.detail);
  const std::string common = causeOf(record, outcome.outcome, message);
  const auto [place, isNew] =
      breaks_.try_emplace(Key{fresh, outcome.outcome, outcome.stage, common});
  Break& found = place->second;
  if (isNew) {
    found.condition = fresh ? "fresh" : "warm";
    found.outcome = outcome.outcome;
    found.stage = outcome.stage;
    found.leastDays = found.mostDays = days;
  }
  if (isNew ||
      std::tie(record.bytes, record.name) < std::tie(found.smallest.bytes, found.smallest.name)) {
    found.smallest = record;
    found.smallestOn = outcome.build;
    found.smallestProducer = producer;
    found.smallestConsumer = consumer;
    found.message = message;
  }
  found.primitives.insert(record.primitive);
  found.targets.insert(record.customCallTargets.begin(), record.customCallTargets.end());
  found.producers.insert(producer);
  found.consumers.insert(consumer);
  ++found.promises[std::string(promiseName(promise))];
  ++found.pairs;
  found.leastDays = std::min(found.leastDays, days);
  found.mostDays = std::max(found.mostDays, days);
}

std::vector<Break> BreakCollector::take() {
  std::vector<Break> breaks;
  for (auto& [key, found] : breaks_) {
    nameUpstreamIssue(found);
    breaks.push_back(std::move(found));
  }
  std::ranges::stable_sort(breaks,
                           [](const Break& a, const Break& b) { return a.pairs > b.pairs; });
  return breaks;
}

}  // namespace vintage::harness

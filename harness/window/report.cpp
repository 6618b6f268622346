#include "harness/window/report.h"

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness::window {

Verdict PromiseReport::verdict() const {
  if (failures > 0) return Verdict::kBroken;  // A single pair is enough to break a promise.
  return verdictOf({.passed = pass + unexpectedPasses,
                    .expectedFailures = expectedFailures,
                    .failed = failures,
                    .unknown = unknown});
}

Verdict WindowReport::verdict() const {
  Verdict whole = Verdict::kNothingRan;
  for (const PromiseReport& promise : promises) whole = stronger(whole, promise.verdict());
  for (const DefaultBump& bump : bumps)
    if (bump.verdict == Verdict::kBroken) whole = Verdict::kBroken;
  const bool complete = breakages.empty() && static_cast<int>(parts.size()) == shards;
  return complete ? whole : stronger(whole, Verdict::kCannotTell);
}

namespace {

void addPromise(PromiseReport& to, const PromiseReport& from) {
  to.pairs += from.pairs;
  to.pass += from.pass;
  to.expectedFailures += from.expectedFailures;
  to.unexpectedPasses += from.unexpectedPasses;
  to.failures += from.failures;
  to.unknown += from.unknown;
  for (const BrokenPair& broken : from.broken)
    if (to.broken.size() < kBrokenTold) to.broken.push_back(broken);
  for (const auto& [build, missing] : from.missing) {
    MissingBuild& known = to.missing[build];
    known.reason = missing.reason;
    known.pairs += missing.pairs;
  }
}

using Place = Measured::Place;

template <typename Better>
void keepBetter(std::optional<Place>& to, const std::optional<Place>& from, Better better) {
  if (from && (!to || better(*from, *to))) to = from;
}

void addMeasured(Measured& to, const Measured& from) {
  to.pass += from.pass;
  to.fail += from.fail;
  const auto age = [](const Place& place) { return place.consumerDate - place.producerDate; };
  keepBetter(to.oldestArtifact, from.oldestArtifact, [](const Place& a, const Place& b) {
    return a.producerDate < b.producerDate;
  });
  keepBetter(to.oldestConsumer, from.oldestConsumer, [](const Place& a, const Place& b) {
    return a.consumerDate < b.consumerDate;
  });
  keepBetter(to.longestBackward, from.longestBackward,
             [&](const Place& a, const Place& b) { return age(a) > age(b); });
  keepBetter(to.longestForward, from.longestForward,
             [&](const Place& a, const Place& b) { return age(a) < age(b); });
}

}  // namespace

Status WindowReport::add(const WindowReport& other) {
  const auto different = [&](std::string_view what) {
    return usageError(
        "these are reports of different windows: {} differs; shards of one window are made with "
        "the same policy, date and number of shards",
        what);
  };
  if (other.policy != policy) return different("the policy");
  if (other.today != today) return different("the date");
  if (other.shards != shards) return different("the number of shards");
  if (other.promises.size() != promises.size()) return different("the policy");
  for (size_t i = 0; i < promises.size(); ++i)
    if (!(promises[i].rule == other.promises[i].rule)) return different("the policy");
  for (const int part : other.parts)
    if (!parts.insert(part).second)
      return usageError("shard {} of {} is given twice", part + 1, shards);
  contents += other.contents;
  artifacts += other.artifacts;
  consumers = std::max(consumers, other.consumers);
  programs = std::max(programs, other.programs);
  reused += other.reused;
  ran += other.ran;
  skipped += other.skipped;
  for (size_t i = 0; i < promises.size(); ++i) addPromise(promises[i], other.promises[i]);
  for (const auto& [key, from] : other.measured) {
    const auto [place, isNew] = measured.try_emplace(key, from);
    if (!isNew) addMeasured(place->second, from);
  }
  // They come from the builds, which every shard sees.
  if (bumps.empty()) bumps = other.bumps;
  for (const std::string& breakage : other.breakages)
    if (std::ranges::find(breakages, breakage) == breakages.end()) breakages.push_back(breakage);
  return {};
}

}  // namespace vintage::harness::window

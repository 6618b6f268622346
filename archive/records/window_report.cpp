#include "archive/records/window_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"

namespace vintage::archive {

std::vector<Unjudged> PromiseReport::notCovered() const {
  std::vector<Unjudged> parts;
  const bool backward = rule.direction == Promise::kBackward;
  for (const auto& [place, coverage] : places) {
    if (coverage.covered > 0) continue;
    const auto& [platform, mode] = place;
    parts.push_back({fmt::format("{} in mode {}", platform, mode),
                     !coverage.hasConsumer
                         ? fmt::format("no registered consumer runs {} in mode {}", platform, mode)
                         : fmt::format("no consumer that runs it was built {} {} one of them",
                                       rule.span(), backward ? "or less after" : "or less before"),
                     coverage.artifacts});
  }
  for (const auto& [reason, artifacts] : notComparable)
    parts.push_back({"artifacts that cannot be compared", reason, artifacts});
  if (places.empty() && notComparable.empty())
    parts.push_back({"artifacts", "the archive holds none that it applies to", 0});
  return parts;
}

void PromiseReport::tell(Pair pair) {
  const auto order = [](const Pair& one) {
    return std::tie(one.artifact->buildDate, one.consumerDate, one.artifact->name,
                    one.artifact->producer, one.outcome.build, one.outcome.platform,
                    one.outcome.mode);
  };
  const bool isBroken = pair.cell == Cell::kFail || pair.cell == Cell::kUnexpectedPass;
  std::vector<Pair>& listed = isBroken ? broken : undecided;
  const auto before = std::ranges::upper_bound(listed, order(pair), {}, order);
  listed.insert(before, std::move(pair));
  if (listed.size() > kBrokenTold) listed.pop_back();
}

namespace {

// `first` decides; dates and names break ties.
void keepFirst(std::optional<Measured::Place>& kept, const Measured::Place& place,
               std::chrono::days (*first)(const Measured::Place&)) {
  const auto order = [&](const Measured::Place& one) {
    return std::tuple(first(one), one.producerDate, one.consumerDate, one.artifact, one.producer,
                      one.build);
  };
  if (!kept || order(place) < order(*kept)) kept = place;
}

}  // namespace

void Measured::see(const Place& place) {
  keepFirst(oldestArtifact, place,
            [](const Place& one) { return one.producerDate.time_since_epoch(); });
  keepFirst(oldestConsumer, place,
            [](const Place& one) { return one.consumerDate.time_since_epoch(); });
  if (place.age().count() >= 0)
    keepFirst(longestBackward, place, [](const Place& one) { return -one.age(); });
  else
    keepFirst(longestForward, place, [](const Place& one) { return one.age(); });
}

Verdict PromiseReport::verdict() const {
  if (tally[Cell::kFail] > 0) return Verdict::kBroken;  // One pair is enough to break a promise.
  return verdictOf(tally, static_cast<int64_t>(notCovered().size()));
}

Verdict WindowReport::verdict() const {
  std::optional<Verdict> whole;
  const auto add = [&](Verdict part) { whole = whole ? together(*whole, part) : part; };
  for (const PromiseReport& promise : promises)
    if (promise.inScope) add(promise.verdict());
  if (scope.hasPromise(kDefaults))
    for (const DefaultBump& bump : bumps)
      if (bump.verdict == Verdict::kBroken ||
          (bump.verdict == Verdict::kCannotTell && whole != Verdict::kNothingRan))
        add(bump.verdict);
  if (speed && speed->judgement.verdict) add(*speed->judgement.verdict);
  const bool complete = breakages.empty() && (byItself || static_cast<int>(parts.size()) == shards);
  if (!complete) add(Verdict::kCannotTell);
  return whole.value_or(Verdict::kNothingRan);
}

Conclusion WindowReport::conclusion() const {
  std::vector<std::string> details = breakages;
  Counted pairs;
  pairs.breakages = static_cast<int64_t>(breakages.size());
  pairs.skipped = skipped;
  const auto miss = [&](const PromiseReport& promise, const std::string& what) {
    ++pairs.missing;
    details.push_back(fmt::format("{}: {}", promise.rule.name, what));
  };
  for (const PromiseReport& promise : promises) {
    if (!promise.inScope) continue;
    pairs.tally.add(promise.tally);
    for (const auto& [build, missing] : promise.missing)
      miss(promise,
           fmt::format("{}: {} ({})", build, missing.reason, counted(missing.pairs, "pair")));
    for (const Unjudged& part : promise.notCovered()) miss(promise, unjudgedText(part));
  }
  pairs.ran = pairs.tally.total() - pairs.tally[Cell::kUntested];
  if (byItself) {
    details.push_back(
        fmt::format("this judges 1 of {} shards: 'vintage merge' judges all of them", shards));
  } else if (static_cast<int>(parts.size()) < shards) {
    ++pairs.missing;
    details.push_back(fmt::format("{} of {} shards are not in it",
                                  shards - static_cast<int>(parts.size()), shards));
  }
  if (scope.hasPromise(kDefaults))
    for (const DefaultBump& bump : bumps)
      if (bump.verdict != Verdict::kHolds) {
        if (bump.verdict == Verdict::kCannotTell) ++pairs.missing;
        details.push_back(fmt::format("{}: {}: calling convention {} as the default: {}", kDefaults,
                                      bump.producer, bump.version, verdictName(bump.verdict)));
      }
  if (speed)
    details.insert(details.end(), speed->judgement.reasons.begin(), speed->judgement.reasons.end());
  return conclude(verdict(), pairs, std::move(details));
}

RunNotes notesOf(const WindowReport& report) {
  RunNotes notes;
  notes.breakages = report.breakages;
  notes.reasons = report.conclusion().reasons;
  for (const PromiseReport& promise : report.promises)
    if (promise.inScope)
      notes.promises.push_back({promise.rule.name, promise.verdict(), promise.tally});
  return notes;
}

namespace {

void addPromise(PromiseReport& to, const PromiseReport& from) {
  to.tally.add(from.tally);
  for (const auto& [place, coverage] : from.places) {
    Coverage& sum = to.places[place];
    sum.artifacts += coverage.artifacts;
    sum.covered += coverage.covered;
    sum.hasConsumer |= coverage.hasConsumer;
  }
  for (const auto& [reason, artifacts] : from.notComparable) to.notComparable[reason] += artifacts;
  for (const auto* listed : {&from.broken, &from.undecided})
    for (const Pair& pair : *listed) to.tell(pair);
  for (const auto& [build, missing] : from.missing) {
    MissingBuild& known = to.missing[build];
    known.reason = missing.reason;
    known.pairs += missing.pairs;
  }
}

void addMeasured(Measured& to, const Measured& from) {
  to.tally.add(from.tally);
  for (const auto* place :
       {&from.oldestArtifact, &from.oldestConsumer, &from.longestBackward, &from.longestForward})
    if (*place) to.see(**place);
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
  if (!(other.scope == scope)) return different("the scope");
  if (other.shards != shards) return different("the number of shards");
  if (!std::ranges::equal(promises, other.promises, {}, &PromiseReport::rule, &PromiseReport::rule))
    return different("the policy");
  for (const int part : other.parts)
    if (!parts.insert(part).second)
      return usageError("shard {} of {} is given twice", part + 1, shards);
  for (const auto& [what, left] : other.outOfScope) outOfScope[what] += left;
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
  if (other.speed) {
    SpeedReport all = speed ? std::move(speed->report) : SpeedReport(other.speed->report);
    if (speed) all.add(other.speed->report);
    speed.emplace(std::move(all));
  }
  for (const std::string& breakage : other.breakages)
    if (!lists(breakages, breakage)) breakages.push_back(breakage);
  return {};
}

}  // namespace vintage::archive

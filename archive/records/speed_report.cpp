#include "archive/records/speed_report.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace vintage::archive {
namespace {

// Rounds that have to agree before a ratio counts as beyond a bound, by how far beyond it the
// interval lies. Other work slows a measurement down by a small factor rather than by a large one.
constexpr int roundsNeeded(double excess) { return excess >= 8 ? 4 : excess >= 2 ? 8 : 12; }

}  // namespace

RatioShows showsAt(const Ratio& ratio, double bound) {
  const auto lies = [&](const Ratio& one) {
    return one.low >= bound && (one.rounds == 0 || one.rounds >= roundsNeeded(one.low / bound));
  };
  if (lies(ratio)) return RatioShows::kMore;
  if (lies(ratio.inverse())) return RatioShows::kLess;
  return ratio.high < bound && ratio.low > 1 / bound ? RatioShows::kNoDifference
                                                     : RatioShows::kNotResolved;
}

const MeasuredQuantity* MeasuredArtifact::find(Quantity quantity) const {
  const auto found = std::ranges::find(quantities, quantity, &MeasuredQuantity::quantity);
  return found == quantities.end() ? nullptr : &*found;
}

SizedName sizedName(std::string_view name) {
  for (size_t at = name.rfind("_n"); at != name.npos && at > 0; at = name.rfind("_n", at - 1)) {
    const char* const first = name.data() + at + 2;
    int64_t size = 0;
    const auto [end, error] = std::from_chars(first, name.data() + name.size(), size);
    const auto rest = name.substr(static_cast<size_t>(end - name.data()));
    // The size ends the name, or a part of it.
    if (error != std::errc() ||
        (!rest.empty() && std::string_view("/,[_.").find(rest.front()) == std::string_view::npos))
      continue;
    return {fmt::format("{}_n*{}", name.substr(0, at), rest), size};
  }
  return {std::string(name), std::nullopt};
}

FailureClass failureClassOf(Quantity quantity) {
  return quantity == Quantity::kRun       ? FailureClass::kSlower
         : quantity == Quantity::kCompile ? FailureClass::kCompilesSlower
                                          : FailureClass::kLarger;
}

const DeclaredFinding* MeasuredArtifact::findDeclared(Quantity quantity) const {
  const auto found =
      std::ranges::find(declared, failureClassOf(quantity), &DeclaredFinding::failure);
  return found == declared.end() ? nullptr : &*found;
}

void declareFindings(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                     std::string_view build, Date today, MeasuredArtifact& measured) {
  measured.declared.clear();
  for (const FailureClass failure : speedClasses())
    if (const Limitation* found =
            match(limitations, artifact, build, measured.platform, measured.mode, failure, today))
      measured.declared.push_back(
          {failure, found->id,
           found->until ? fmt::format("{} (until {})", found->description, *found->until)
                        : found->description});
}

SpeedCounts& SpeedCounts::operator+=(const SpeedCounts& other) {
  measured += other.measured;
  notMeasured += other.notMeasured;
  noDifference += other.noDifference;
  notResolved += other.notResolved;
  openPromises += other.openPromises;
  return *this;
}

SpeedCounts countsOf(const BuildComparison& comparison, const SpeedPromise& promise) {
  SpeedCounts counts;
  for (const MeasuredArtifact& artifact : comparison.artifacts) {
    ++(artifact.problem.empty() ? counts.measured : counts.notMeasured);
    for (const MeasuredQuantity& one : artifact.quantities) {
      const RatioShows shows = showsAt(one.ratio, SpeedReport::kWatched);
      counts.noDifference += shows == RatioShows::kNoDifference;
      counts.notResolved += shows == RatioShows::kNotResolved;
      const auto bound = promise.bound(one.quantity);
      counts.openPromises += bound && one.ratio.high >= *bound &&
                             !artifact.findDeclared(one.quantity) &&
                             showsAt(one.ratio, *bound) == RatioShows::kNotResolved;
    }
  }
  return counts;
}

void SpeedReport::add(const SpeedReport& other) {
  for (const BuildComparison& more : other.comparisons) {
    const auto same = std::ranges::find_if(comparisons, [&](const BuildComparison& one) {
      return one.before == more.before && one.after == more.after;
    });
    if (same == comparisons.end()) {
      comparisons.push_back(more);
      continue;
    }
    same->artifacts.insert(same->artifacts.end(), more.artifacts.begin(), more.artifacts.end());
    same->seconds += more.seconds;
    if (same->problem.empty()) same->problem = more.problem;
  }
}

}  // namespace vintage::archive

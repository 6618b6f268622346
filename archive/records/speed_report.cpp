#include "archive/records/speed_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <tuple>

#include <fmt/format.h>

namespace vintage::archive {
namespace {

// A function grows faster if its exponent changes by this much: half of the step from linear to
// quadratic, which no measured constant factor reaches over a range of four.
constexpr double kExponentChange = 0.5;
// Of the largest size, where no size is beyond what is watched.
constexpr double kLeastRatioGrown = 1.25;
constexpr size_t kLeastSizes = 3;
constexpr int64_t kLeastRange = 4;

// Rounds that have to agree before a ratio counts as beyond a bound, by how far beyond it the
// interval lies. Other work slows a measurement down by a small factor rather than by a large one.
constexpr int roundsNeeded(double excess) { return excess >= 8 ? 4 : excess >= 2 ? 8 : 12; }

Ratio inverse(const Ratio& ratio) {
  return {1 / ratio.high, 1 / ratio.value, 1 / ratio.low, ratio.rounds};
}

// The slope of a line through points, by least squares.
double slope(std::span<const std::pair<double, double>> points) {
  double meanX = 0, meanY = 0, xy = 0, xx = 0;
  for (const auto& [x, y] : points) {
    meanX += x / static_cast<double>(points.size());
    meanY += y / static_cast<double>(points.size());
  }
  for (const auto& [x, y] : points) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) * (x - meanX);
  }
  return xx > 0 ? xy / xx : 0;
}

using Sized = std::pair<int64_t, const MeasuredArtifact*>;

std::optional<Growth> growthOf(const std::vector<Sized>& members, Quantity quantity) {
  Growth growth;
  std::vector<std::pair<double, double>> before, after, ratios;
  const MeasuredQuantity *first = nullptr, *last = nullptr;
  for (const auto& [size, artifact] : members) {
    const MeasuredQuantity* found = artifact->find(quantity);
    if (!found || size < 1 || (!growth.sizes.empty() && growth.sizes.back() == size)) continue;
    if (!first) first = found;
    last = found;
    growth.sizes.push_back(size);
    const double x = std::log(static_cast<double>(size));
    before.emplace_back(x, std::log(found->before));
    after.emplace_back(x, std::log(found->after));
    ratios.emplace_back(x, std::log(found->ratio.value));
  }
  if (growth.sizes.size() < kLeastSizes || growth.sizes.back() < kLeastRange * growth.sizes.front())
    return std::nullopt;
  // The fixed cost of a call hides how the smallest sizes grow.
  const size_t half = (growth.sizes.size() - 1) / 2;
  growth.before = slope(std::span(before).subspan(half));
  growth.after = slope(std::span(after).subspan(half));
  growth.change = slope(ratios);
  const double range = ratios.back().first - ratios.front().first;
  growth.low = std::min(growth.change, std::log(last->ratio.low / first->ratio.high) / range);
  growth.high = std::max(growth.change, std::log(last->ratio.high / first->ratio.low) / range);
  return growth;
}

// All artifacts of one function on one comparison, by size; one where the name has none.
using Functions = std::map<std::tuple<std::string, std::string, std::string>, std::vector<Sized>>;

Functions functionsOf(const BuildComparison& comparison) {
  Functions functions;
  for (const MeasuredArtifact& artifact : comparison.artifacts) {
    if (!artifact.problem.empty()) continue;
    const auto [function, size] = sizedName(artifact.name);
    functions[{function, artifact.platform, artifact.mode}].emplace_back(size.value_or(0),
                                                                         &artifact);
  }
  for (auto& [key, members] : functions)
    std::ranges::sort(members, {}, [](const Sized& one) {
      return std::tuple(one.first, one.second->bytes, one.second->name);
    });
  return functions;
}

// The exception of a policy that covers a finding of the day; null: none does.
const SpeedException* exceptionFor(const SpeedFinding& finding, const SpeedPromise& promise,
                                   Date today) {
  const auto found = std::ranges::find_if(promise.exceptions, [&](const SpeedException& one) {
    return one.function == finding.function && one.build == finding.after &&
           one.quantity == finding.measured.quantity && (!one.until || today <= *one.until);
  });
  return found == promise.exceptions.end() ? nullptr : &*found;
}

// A finding about one quantity of one function; none without one. `backward`: faster or smaller.
std::optional<SpeedFinding> findingOf(const Functions::value_type& entry, Quantity quantity,
                                      double bound, bool backward) {
  SpeedFinding finding;
  finding.artifacts = 0;
  for (const auto& [size, artifact] : entry.second) {
    const MeasuredQuantity* found = artifact->find(quantity);
    if (!found) continue;
    const Ratio ratio = backward ? inverse(found->ratio) : found->ratio;
    if (showsAt(ratio, bound) != RatioShows::kMore) continue;
    if (finding.artifacts++ == 0) {
      finding.smallest = artifact->name;
      finding.artifact = artifact->artifact;
    }
    if (finding.artifacts > 1 && ratio.low <= finding.measured.ratio.low) continue;
    finding.measured = *found;
    finding.measured.ratio = ratio;
  }
  finding.growth = growthOf(entry.second, quantity);
  if (finding.artifacts == 0) {
    // The sizes that were measured are below the bound, and larger ones will not be.
    if (backward || !finding.growth || !finding.growth->grew()) return std::nullopt;
    const MeasuredArtifact& largest = *entry.second.back().second;
    const MeasuredQuantity* found = largest.find(quantity);
    if (!found || found->ratio.low < kLeastRatioGrown) return std::nullopt;
    finding.artifacts = 1;
    finding.smallest = largest.name;
    finding.artifact = largest.artifact;
    finding.measured = *found;
  }
  finding.kind = quantity == Quantity::kMemory ? (backward ? "smaller" : "larger")
                                               : (backward ? "faster" : "slower");
  std::tie(finding.function, finding.platform, finding.mode) = entry.first;
  return finding;
}

std::vector<SpeedFinding> collect(const SpeedReport& report, bool backward) {
  std::vector<SpeedFinding> findings;
  for (const BuildComparison& comparison : report.comparisons)
    for (const auto& entry : functionsOf(comparison))
      for (const Quantity quantity : kQuantities) {
        const auto bound = report.promise.bound(quantity);
        // A bound below what is watched lowers it.
        const double watched =
            std::min(SpeedReport::kWatched, bound.value_or(SpeedReport::kWatched));
        auto finding = findingOf(entry, quantity, watched, backward);
        if (!finding) continue;
        finding->before = comparison.before;
        finding->after = comparison.after;
        if (!backward && bound) {
          const SpeedException* exception = exceptionFor(*finding, report.promise, report.today);
          if (exception) finding->exception = exception->reason;
          finding->breaks =
              !exception && (showsAt(finding->measured.ratio, *bound) == RatioShows::kMore ||
                             (finding->growth && finding->growth->grew()));
        }
        finding->command = fmt::format(
            "vintage run {} --archive {} --build '{}' --build '{}' --platform {} --mode {} --speed",
            finding->artifact.substr(0, 12), report.archiveArgument, comparison.before,
            comparison.after, finding->platform, finding->mode);
        findings.push_back(std::move(*finding));
      }
  std::ranges::sort(findings, {}, [](const SpeedFinding& one) {
    return std::tuple(!one.breaks, -one.measured.ratio.value, one.after, one.function, one.platform,
                      one.mode, one.measured.quantity);
  });
  return findings;
}

}  // namespace

RatioShows showsAt(const Ratio& ratio, double bound) {
  const auto lies = [&](const Ratio& one) {
    return one.low >= bound && (one.rounds == 0 || one.rounds >= roundsNeeded(one.low / bound));
  };
  if (lies(ratio)) return RatioShows::kMore;
  if (lies(inverse(ratio))) return RatioShows::kLess;
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

bool Growth::grew() const { return low >= kExponentChange; }

std::vector<SpeedFinding> SpeedReport::findings() const { return collect(*this, false); }
std::vector<SpeedFinding> SpeedReport::improvements() const { return collect(*this, true); }

SpeedReport::Counts SpeedReport::counts() const {
  Counts counts;
  for (const BuildComparison& comparison : comparisons)
    for (const MeasuredArtifact& artifact : comparison.artifacts) {
      ++(artifact.problem.empty() ? counts.measured : counts.notMeasured);
      for (const MeasuredQuantity& one : artifact.quantities) {
        const RatioShows shows = showsAt(one.ratio, kWatched);
        counts.noDifference += shows == RatioShows::kNoDifference;
        counts.notResolved += shows == RatioShows::kNotResolved;
        const auto bound = promise.bound(one.quantity);
        counts.openPromises += bound && one.ratio.high >= *bound &&
                               showsAt(one.ratio, *bound) == RatioShows::kNotResolved;
      }
    }
  return counts;
}

std::optional<Verdict> SpeedReport::verdict() const {
  if (!promise.any()) return std::nullopt;
  const auto broken = [](const SpeedFinding& finding) { return finding.breaks; };
  if (std::ranges::any_of(findings(), broken)) return Verdict::kBroken;
  const auto ended = [](const BuildComparison& one) { return !one.problem.empty(); };
  const Counts counts = this->counts();
  if (counts.openPromises > 0 || std::ranges::any_of(comparisons, ended))
    return Verdict::kCannotTell;
  return counts.measured > 0 ? Verdict::kHolds : Verdict::kNothingRan;
}

std::vector<std::string> SpeedReport::reasons() const {
  std::vector<std::string> reasons;
  if (!promise.any()) return reasons;
  for (const SpeedFinding& finding : findings())
    if (finding.breaks)
      reasons.push_back(fmt::format("speed: {}: {} {} by {:.3g} times on {} beside {}",
                                    finding.function, quantityName(finding.measured.quantity),
                                    finding.kind, finding.measured.ratio.value, finding.after,
                                    finding.before));
  for (const BuildComparison& one : comparisons)
    if (!one.problem.empty())
      reasons.push_back(fmt::format("speed: {} beside {}: {}", one.after, one.before, one.problem));
  if (const Counts counts = this->counts(); counts.openPromises > 0)
    reasons.push_back(
        fmt::format("speed: {} ratios reach over their bound and are not known well enough",
                    counts.openPromises));
  return reasons;
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

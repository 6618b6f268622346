// From measured ratios to findings and the verdict of a promise of speed.
#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

#include <fmt/format.h>

#include "archive/records/speed_report.h"
#include "golden/base/typed_words.h"

namespace vintage::archive {
namespace {

// From this change of an exponent on a function is found to grow faster: half of the step from
// linear to quadratic, which no measured constant factor makes over a range of four.
constexpr double kExponentChange = 0.5;
// The largest size counts from this ratio on, if no size reaches the watched one.
constexpr double kLeastRatioGrown = 1.25;
constexpr size_t kLeastSizes = 3;
constexpr int64_t kLeastRange = 4;

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

double watchedBound(const SpeedPromise& promise, Quantity quantity) {
  // A bound below what is watched lowers it.
  return std::min(SpeedReport::kWatched, promise.bound(quantity).value_or(SpeedReport::kWatched));
}

// The declaration of what all of `showing` show; null: one of them is not declared.
const DeclaredFinding* declaredOf(const std::vector<const MeasuredArtifact*>& showing,
                                  Quantity quantity) {
  const DeclaredFinding* declared = nullptr;
  for (const MeasuredArtifact* artifact : showing) {
    const DeclaredFinding* one = artifact->findDeclared(quantity);
    if (!one) return nullptr;
    if (!declared) declared = one;
  }
  return declared;
}

// One quantity of one function; none: it shows nothing. `backward`: what got faster or smaller.
std::optional<SpeedFinding> findingOf(const Functions::value_type& entry, Quantity quantity,
                                      double bound, bool backward) {
  SpeedFinding finding;
  std::vector<const MeasuredArtifact*> showing;
  for (const auto& [size, artifact] : entry.second) {
    const MeasuredQuantity* found = artifact->find(quantity);
    if (!found) continue;
    const Ratio ratio = backward ? found->ratio.inverse() : found->ratio;
    if (showsAt(ratio, bound) != RatioShows::kMore) continue;
    showing.push_back(artifact);
    if (showing.size() > 1 && ratio.low <= finding.measured.ratio.low) continue;
    finding.measured = *found;
    finding.measured.ratio = ratio;
  }
  finding.growth = growthOf(entry.second, quantity);
  if (showing.empty()) {
    // The sizes that were measured are below the bound, and larger ones will not be.
    if (backward || !finding.growth || !finding.growth->grew()) return std::nullopt;
    showing.push_back(entry.second.back().second);
    const MeasuredQuantity* found = showing.front()->find(quantity);
    if (!found || found->ratio.low < kLeastRatioGrown) return std::nullopt;
    finding.measured = *found;
  }
  finding.artifacts = static_cast<int64_t>(showing.size());
  finding.smallest = showing.front()->name;
  finding.artifact = showing.front()->artifact;
  finding.kind = quantity == Quantity::kMemory ? (backward ? "smaller" : "larger")
                                               : (backward ? "faster" : "slower");
  std::tie(finding.function, finding.platform, finding.mode) = entry.first;
  if (const auto* declared = backward ? nullptr : declaredOf(showing, quantity)) {
    finding.limitation = declared->limitation;
    finding.reason = declared->reason;
  }
  return finding;
}

// The declared finding of a function whose every size is known to show no more than before.
const DeclaredFinding* unnecessaryOf(const Functions::value_type& entry, Quantity quantity,
                                     double bound) {
  const DeclaredFinding* declared = nullptr;
  for (const auto& [size, artifact] : entry.second) {
    const MeasuredQuantity* found = artifact->find(quantity);
    if (!found) continue;
    const RatioShows shows = showsAt(found->ratio, bound);
    if (shows != RatioShows::kNoDifference && shows != RatioShows::kLess) return nullptr;
    if (!declared) declared = artifact->findDeclared(quantity);
  }
  return declared;
}

void sortFindings(std::vector<SpeedFinding>& findings) {
  std::ranges::sort(findings, {}, [](const SpeedFinding& one) {
    return std::tuple(!one.breaks, -one.measured.ratio.value, one.after, one.function, one.platform,
                      one.mode, one.measured.quantity);
  });
}

// Findings, improvements and what is unnecessary.
void collect(const SpeedReport& report, const BuildComparison& comparison,
             SpeedJudgement& judgement) {
  const auto add = [&](SpeedFinding finding, std::vector<SpeedFinding>& to) {
    finding.before = comparison.before;
    finding.after = comparison.after;
    finding.command = fmt::format(
        "vintage run {} --archive {} --build {} --build {} --platform {} --mode {} --speed",
        finding.artifact.substr(0, 12), shellWord(report.archiveArgument),
        shellWord(comparison.before), shellWord(comparison.after), shellWord(finding.platform),
        shellWord(finding.mode));
    to.push_back(std::move(finding));
  };
  for (const auto& entry : functionsOf(comparison))
    for (const Quantity quantity : kQuantities) {
      const auto bound = report.promise.bound(quantity);
      const double watched = watchedBound(report.promise, quantity);
      if (auto finding = findingOf(entry, quantity, watched, true))
        add(std::move(*finding), judgement.improvements);
      if (auto finding = findingOf(entry, quantity, watched, false)) {
        finding->breaks = bound && !finding->isDeclared() &&
                          (showsAt(finding->measured.ratio, *bound) == RatioShows::kMore ||
                           (finding->growth && finding->growth->grew()));
        add(std::move(*finding), judgement.findings);
      } else if (const auto* declared = unnecessaryOf(entry, quantity, watched)) {
        const auto& [function, platform, mode] = entry.first;
        judgement.unnecessary.push_back(
            {declared->limitation, quantity, function, platform, mode, comparison.after});
      }
    }
}

std::optional<Verdict> verdictOf(const SpeedReport& report, const SpeedJudgement& judgement) {
  if (!report.promise.any()) return std::nullopt;
  if (std::ranges::any_of(judgement.findings, &SpeedFinding::breaks)) return Verdict::kBroken;
  const auto ended = [](const BuildComparison& one) { return !one.problem.empty(); };
  if (judgement.counts.openPromises > 0 || std::ranges::any_of(report.comparisons, ended))
    return Verdict::kCannotTell;
  return judgement.counts.measured > 0 ? Verdict::kHolds : Verdict::kNothingRan;
}

std::vector<std::string> reasonsOf(const SpeedReport& report, const SpeedJudgement& judgement) {
  std::vector<std::string> reasons;
  if (!report.promise.any()) return reasons;
  for (const SpeedFinding& finding : judgement.findings)
    if (finding.breaks)
      reasons.push_back(fmt::format("speed: {}: {} {} by {:.3g} times on {} beside {}",
                                    finding.function, quantityName(finding.measured.quantity),
                                    finding.kind, finding.measured.ratio.value, finding.after,
                                    finding.before));
  for (const BuildComparison& one : report.comparisons)
    if (!one.problem.empty())
      reasons.push_back(fmt::format("speed: {} beside {}: {}", one.after, one.before, one.problem));
  if (judgement.counts.openPromises > 0)
    reasons.push_back(
        fmt::format("speed: {} ratios reach over their bound and are not known well enough",
                    judgement.counts.openPromises));
  return reasons;
}

}  // namespace

bool Growth::grew() const { return low >= kExponentChange; }

SpeedJudgement judgeSpeed(const SpeedReport& report) {
  SpeedJudgement judgement;
  for (const BuildComparison& comparison : report.comparisons) {
    collect(report, comparison, judgement);
    judgement.counts += countsOf(comparison, report.promise);
  }
  sortFindings(judgement.findings);
  sortFindings(judgement.improvements);
  judgement.verdict = verdictOf(report, judgement);
  judgement.reasons = reasonsOf(report, judgement);
  return judgement;
}

}  // namespace vintage::archive

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "reports/failure_cause.h"
#include "reports/speed_report.h"
#include "reports/text_table.h"

namespace vintage::reports {
using namespace archive;

namespace {

constexpr int64_t kProblemsShown = 3;

std::string valueText(Quantity quantity, double value) {
  if (quantity == Quantity::kMemory)
    return value >= 1 << 20 ? fmt::format("{:.3g} MiB", value / (1 << 20))
                            : fmt::format("{:.3g} KiB", value / (1 << 10));
  return value >= 1      ? fmt::format("{:.3g} s", value)
         : value >= 1e-3 ? fmt::format("{:.3g} ms", value * 1e3)
                         : fmt::format("{:.3g} µs", value * 1e6);
}

// Three digits, and no power of ten in front of a person.
std::string digits(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string intervalText(const Ratio& ratio) {
  if (ratio.rounds == 0) return "exactly";
  return fmt::format("{} to {} in {} rounds", digits(ratio.low), digits(ratio.high), ratio.rounds);
}

std::string_view showsText(RatioShows shows, Quantity quantity) {
  const bool isMemory = quantity == Quantity::kMemory;
  switch (shows) {
    case RatioShows::kNoDifference:
      return "no difference seen";
    case RatioShows::kMore:
      return isMemory ? "larger" : "slower";
    case RatioShows::kLess:
      return isMemory ? "smaller" : "faster";
    case RatioShows::kNotResolved:
      break;
  }
  return "not resolved";
}

std::string findingText(const SpeedFinding& finding) {
  std::string text = fmt::format("  {}: {} on {}: {}", finding.kind, subjectText(finding),
                                 finding.after, measuredText(finding));
  if (finding.breaks) text += "\n    it breaks the policy's bound";
  if (finding.isDeclared())
    text += fmt::format("\n    it fails as declared by limitation {}: {}", finding.limitation,
                        finding.reason);
  text += finding.artifacts > 1 ? fmt::format("\n    {} artifacts show it; the smallest is {}\n",
                                              finding.artifacts, finding.smallest)
                                : "\n";
  return text + fmt::format("    {}\n", finding.command);
}

void tellFindings(const std::vector<SpeedFinding>& findings, const BuildComparison& comparison,
                  size_t longest, std::string& text) {
  size_t listed = 0;
  for (const SpeedFinding& finding : findings) {
    if (finding.before != comparison.before || finding.after != comparison.after) continue;
    if (listed++ < longest) text += findingText(finding);
  }
  if (listed > longest)
    text += fmt::format("  and {} more (--format json has all)\n", listed - longest);
}

}  // namespace

std::string subjectText(const SpeedFinding& finding) {
  return fmt::format("{} of {} ({}, {})", quantityName(finding.measured.quantity), finding.function,
                     finding.platform, finding.mode);
}

std::string unnecessaryText(const UnnecessaryLimitation& limitation) {
  return fmt::format(
      "{} is unnecessary: the {} of {} ({}, {}) on {} is as before; delete or narrow it",
      limitation.limitation, quantityName(limitation.quantity), limitation.function,
      limitation.platform, limitation.mode, limitation.after);
}

std::string measuredText(const MeasuredQuantity& measured) {
  return fmt::format("{} times ({}), {} -> {}", digits(measured.ratio.value),
                     intervalText(measured.ratio), valueText(measured.quantity, measured.before),
                     valueText(measured.quantity, measured.after));
}

std::string measuredText(const SpeedFinding& finding) {
  std::string text = measuredText(finding.measured);
  if (finding.growth && finding.growth->grew())
    text += fmt::format("; it grows faster with its size: exponent {:.1f} -> {:.1f} from {} to {}",
                        finding.growth->before, finding.growth->after,
                        finding.growth->sizes.front(), finding.growth->sizes.back());
  return text;
}

std::string speedText(const JudgedSpeed& speed, size_t longest) {
  const auto& [report, judgement] = speed;
  std::string text;
  for (const BuildComparison& comparison : report.comparisons) {
    const SpeedCounts counts = countsOf(comparison, report.promise);
    text += fmt::format(
        "speed of {} of {} beside {} of {}: {} in {:.0f} s, {:.0f} a minute\n", comparison.after,
        formatDate(comparison.afterDate), comparison.before, formatDate(comparison.beforeDate),
        counted(counts.measured, "artifact"), comparison.seconds,
        60 * static_cast<double>(counts.measured) / std::max(comparison.seconds, 0.001));
    if (!comparison.problem.empty()) text += fmt::format("  broke: {}\n", comparison.problem);
    tellFindings(judgement.findings, comparison, longest, text);
    tellFindings(judgement.improvements, comparison, longest, text);
    text += fmt::format("  no difference of {} times seen in {} quantities; {} are not resolved\n",
                        SpeedReport::kWatched, counts.noDifference, counts.notResolved);
    int64_t told = 0;
    for (const MeasuredArtifact& artifact : comparison.artifacts)
      if (!artifact.problem.empty() && told++ < kProblemsShown)
        text +=
            fmt::format("  not measured: {}: {}\n", artifact.name, shortDetail(artifact.problem));
    if (told > kProblemsShown)
      text += fmt::format("  not measured: {} more\n", told - kProblemsShown);
  }
  for (const UnnecessaryLimitation& one : judgement.unnecessary)
    text += fmt::format("LIMITATION {}\n", unnecessaryText(one));
  if (report.comparisons.empty())
    text += "speed: no two neighbouring releases can run the same artifacts here\n";
  if (judgement.verdict)
    text += fmt::format("promise of speed: {}\n", verdictName(*judgement.verdict));
  return text;
}

std::string speedTable(const SpeedReport& report) {
  std::vector<std::vector<std::string>> lines{
      {"artifact", "quantity", "build", "value", "build", "value", "ratio", "interval", "shows"}};
  for (const BuildComparison& comparison : report.comparisons)
    for (const MeasuredArtifact& artifact : comparison.artifacts) {
      if (!artifact.problem.empty())
        lines.push_back({artifact.name, "-", comparison.before, "-", comparison.after, "-", "-",
                         "-", shortDetail(artifact.problem)});
      for (const MeasuredQuantity& one : artifact.quantities)
        lines.push_back(
            {artifact.name, std::string(quantityName(one.quantity)), comparison.before,
             valueText(one.quantity, one.before), comparison.after,
             valueText(one.quantity, one.after), digits(one.ratio.value), intervalText(one.ratio),
             std::string(showsText(showsAt(one.ratio, SpeedReport::kWatched), one.quantity))});
    }
  return textTable(lines);
}

}  // namespace vintage::reports

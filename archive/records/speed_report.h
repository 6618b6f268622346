// The costs of two builds on the same artifacts, measured in turns, and the findings
// (docs/reference/speed.md). Only ratios count: seconds of different days are never compared.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/failure_class.h"
#include "archive/records/limitation.h"
#include "archive/records/records.h"
#include "archive/records/speed_promise.h"
#include "archive/records/verdict.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The later build's value divided by the earlier one's, and where the ratio lies for all that the
// rounds say.
struct Ratio {
  double low = 1, value = 1, high = 1;
  int rounds = 0;  // Both builds were measured so often. 0: the value is exact, and was not timed.
  Ratio inverse() const { return {1 / high, 1 / value, 1 / low, rounds}; }
};

enum class RatioShows {
  kNoDifference,  // The interval lies inside the bound, both ways.
  kMore,          // It lies beyond the bound, and enough rounds say so.
  kLess,          // The same the other way.
  kNotResolved,   // It reaches over the bound.
};
// At a bound above 1. Other work on the machine can make a few rounds in a row look slower: the
// nearer the interval is to the bound, the more rounds have to agree.
RatioShows showsAt(const Ratio& ratio, double bound);

struct MeasuredQuantity {
  Quantity quantity = Quantity::kRun;
  double before = 0, after = 0;  // Minima: seconds, or bytes.
  Ratio ratio;
};

// That a class of findings of an artifact is declared (archive/records/limitation.h).
struct DeclaredFinding {
  FailureClass failure = FailureClass::kSlower;
  std::string limitation;  // Its id.
  std::string reason;      // With the last day on which it counts, where it has one.
};
// The class of what a quantity that grew is.
FailureClass failureClassOf(Quantity quantity);

// One artifact on both builds.
struct MeasuredArtifact {
  ContentId artifact;
  std::string name, platform, mode;
  int64_t bytes = 0;
  std::vector<MeasuredQuantity> quantities;
  std::string problem;                    // Why it was not measured; empty: it was.
  std::vector<DeclaredFinding> declared;  // On the later build.
  const MeasuredQuantity* find(Quantity quantity) const;
  const DeclaredFinding* findDeclared(Quantity quantity) const;
};
// Looks up what is declared of `artifact`, which was measured, on the later build.
void declareFindings(std::span<const Limitation> limitations, const ArtifactRecord& artifact,
                     std::string_view build, Date today, MeasuredArtifact& measured);

// "loop_f32_n2000/cpu" is of the function "loop_f32_n*/cpu" at size 2000; a name without a size is
// a function of its own.
struct SizedName {
  std::string function;
  std::optional<int64_t> size;
};
SizedName sizedName(std::string_view artifactName);

// How a quantity grows with the size of a function: as its power.
struct Growth {
  std::vector<int64_t> sizes;    // At least three, the largest at least four times the smallest.
  double before = 0, after = 0;  // Exponents, over the larger half of the sizes.
  double low = 0, change = 0, high = 0;  // After less before, over all sizes.
  // The time of one size becomes that of another: a busy machine shows it as well.
  bool grew() const;
};

// Two builds.
struct BuildComparison {
  std::string before, after;
  Date beforeDate{}, afterDate{};
  std::vector<MeasuredArtifact> artifacts;
  double seconds = 0;   // The duration of the measurement.
  std::string problem;  // Why it ended early; empty: it did not.
};

struct SpeedFinding {
  std::string kind;  // "slower", "larger"; of an improvement "faster", "smaller"
  std::string function, platform, mode;
  std::string before, after;  // Builds.
  // The largest ratio that was seen of the function. For an improvement, the earlier build's value
  // divided by the later one's.
  MeasuredQuantity measured;
  std::optional<Growth> growth;
  std::string smallest;   // Name of the smallest artifact that shows it,
  ContentId artifact;     // and its content.
  int64_t artifacts = 1;  // The number that shows it.
  bool breaks = false;    // A bound of the policy.
  // The limitation that declares it of all artifacts that show it, and its reason; empty: none
  // does.
  std::string limitation, reason;
  std::string command;  // Measures the smallest again.
  bool isDeclared() const { return !limitation.empty(); }
};

// A finding that is declared of a function and that its measurements do not show.
struct UnnecessaryLimitation {
  std::string limitation;
  Quantity quantity = Quantity::kRun;
  std::string function, platform, mode;
  std::string after;  // The build.
};

struct SpeedReport {
  // From which ratio on a change is a finding, whatever is promised.
  static constexpr double kWatched = 1.5;

  SpeedPromise promise;
  Date today{};
  std::string archiveArgument;  // As it goes into commands.
  std::vector<BuildComparison> comparisons;

  // `other` is of other artifacts, or other builds, under the same policy.
  void add(const SpeedReport& other);
};

struct SpeedCounts {
  int64_t measured = 0, notMeasured = 0;      // Artifacts.
  int64_t noDifference = 0, notResolved = 0;  // Their quantities.
  // Quantities that reach over a promised bound and do not lie beyond it; none is declared.
  int64_t openPromises = 0;
  SpeedCounts& operator+=(const SpeedCounts& other);
};
SpeedCounts countsOf(const BuildComparison& comparison, const SpeedPromise& promise);

struct SpeedJudgement {
  // Those that break a bound come first, then the largest ratio.
  std::vector<SpeedFinding> findings;
  // Functions that got faster or smaller by as much, likewise; nothing breaks.
  std::vector<SpeedFinding> improvements;
  std::vector<UnnecessaryLimitation> unnecessary;
  SpeedCounts counts;  // Over all comparisons.
  // The promise's verdict; none where nothing is promised.
  std::optional<Verdict> verdict;
  // The reasons of that verdict: broken bounds and missing parts. Empty where nothing is promised.
  std::vector<std::string> reasons;
};
SpeedJudgement judgeSpeed(const SpeedReport& report);

// A report with its judgement, which all outputs share.
struct JudgedSpeed {
  SpeedReport report;
  SpeedJudgement judgement;
  JudgedSpeed() = default;
  explicit JudgedSpeed(SpeedReport made) : report(std::move(made)), judgement(judgeSpeed(report)) {}
};

}  // namespace vintage::archive

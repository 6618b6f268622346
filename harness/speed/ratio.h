// From measurements in turns to a ratio with its interval. Pure: no clock, no process.
//
// A round measures both builds, one right after the other. Other work on the machine only ever
// makes a measurement larger, so that the ratio of the two minima is the estimate. The interval is
// that of the median of the rounds' own ratios, by their order (no distribution is assumed: of a
// drift both measurements of a round have the same share), widened until it holds the estimate.
//
// Rejected: means and their deviations, which one disturbed round moves at will; and the
// interval of a bootstrap of minima, which is empty where every sample repeats the minimum.
#pragma once

#include <span>

#include "archive/records/speed_report.h"

namespace vintage::harness {

// The two values of a round: each the least of the repetitions, and above 0.
struct SpeedRound {
  double before = 0, after = 0;
};

// Of at least one round. With few rounds the interval is their whole range.
archive::Ratio ratioOf(std::span<const SpeedRound> rounds);

// Fewer rounds do not end a measurement that sees no difference.
inline constexpr int kLeastRounds = 4;
// After so many rounds it is left open.
inline constexpr int kMostRounds = 48;
// Whether the rounds say enough about the ratio at a bound.
bool isResolved(const archive::Ratio& ratio, double bound);

}  // namespace vintage::harness

#include "harness/speed/ratio.h"

#include <algorithm>
#include <vector>

namespace vintage::harness {
using namespace archive;

namespace {

// The probability that the median lies outside the interval, if there are enough rounds.
constexpr double kOutside = 0.01;

// How many of the smallest ratios, and of the largest, lie outside of the interval: as many as a
// fair coin shows heads at most in `rounds` throws, but for a chance of kOutside.
size_t leftOut(size_t rounds) {
  double chance = 1;
  for (size_t i = 0; i < rounds; ++i) chance /= 2;
  double sum = 2 * chance;  // Both ends.
  size_t heads = 0;
  while (sum <= kOutside) {
    ++heads;
    chance *= static_cast<double>(rounds - heads + 1) / static_cast<double>(heads);
    sum += 2 * chance;
  }
  return heads == 0 ? 0 : heads - 1;
}

// Enough for the confidence of kOutside with one disturbed group at each end.
constexpr size_t kGroups = 12;
// The minimum of fewer rounds is hardly better than a single round.
constexpr size_t kLeastInGroup = 3;

// Where there are many rounds, groups of them are taken for one: the minimum of several is hardly
// disturbed. The groups are interleaved, so that each sees all of a drift.
std::vector<SpeedRound> grouped(std::span<const SpeedRound> rounds) {
  if (rounds.size() < kLeastInGroup * kGroups) return {rounds.begin(), rounds.end()};
  std::vector<SpeedRound> groups(rounds.begin(), rounds.begin() + kGroups);
  for (size_t i = kGroups; i < rounds.size(); ++i) {
    SpeedRound& group = groups[i % kGroups];
    group.before = std::min(group.before, rounds[i].before);
    group.after = std::min(group.after, rounds[i].after);
  }
  return groups;
}

}  // namespace

Ratio ratioOf(std::span<const SpeedRound> rounds) {
  std::vector<double> ratios;
  for (const SpeedRound& one : grouped(rounds)) ratios.push_back(one.after / one.before);
  std::ranges::sort(ratios);
  const size_t out = leftOut(ratios.size());
  Ratio ratio;
  ratio.value = std::ranges::min(rounds, {}, &SpeedRound::after).after /
                std::ranges::min(rounds, {}, &SpeedRound::before).before;
  ratio.low = std::min(ratio.value, ratios[out]);
  ratio.high = std::max(ratio.value, ratios[ratios.size() - 1 - out]);
  ratio.rounds = static_cast<int>(rounds.size());
  return ratio;
}

bool isResolved(const Ratio& ratio, double bound) {
  return ratio.rounds >= kLeastRounds && showsAt(ratio, bound) != RatioShows::kNotResolved;
}

}  // namespace vintage::harness

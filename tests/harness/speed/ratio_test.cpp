// Whether ratios are separated from noise. The noise is simulated: other work slows a machine down
// for a while, for good, or now and then, and builds are measured there in turns.

#include "harness/speed/ratio.h"

#include <cmath>
#include <functional>
#include <random>

#include <gmock/gmock.h>

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using Random = std::mt19937_64;

// By what factor the machine slows a measurement down; called for each in the order of time.
using Noise = std::function<double()>;
using MakeNoise = std::function<Noise(Random&)>;

double uniform(Random& random) { return std::uniform_real_distribution(0.0, 1.0)(random); }

// Hardly any, of the clock and the caches.
Noise quiet(Random& random) {
  return [&random] { return 1 + 0.03 * uniform(random); };
}
// Work that comes and goes slowly: from nothing to four times.
Noise drifting(Random& random) {
  return [&random, load = uniform(random) * 3]() mutable {
    load = std::clamp(load + std::normal_distribution(0.0, 0.25)(random), 0.0, 3.0);
    return (1 + load) * (1 + 0.05 * uniform(random));
  };
}
// One measurement in five meets something that lasts as long as it likes.
Noise spiking(Random& random) {
  return [&random] {
    const double spike = uniform(random) < 0.2 ? std::pow(1 - uniform(random), -0.7) : 1;
    return spike * (1 + 0.05 * uniform(random));
  };
}
// Another process takes half of the core, for some measurements and not for others.
Noise sharing(Random& random) {
  return [&random, busy = false]() mutable {
    if (uniform(random) < 0.35) busy = !busy;
    return (busy ? 2.0 : 1.0) * (1 + 0.1 * uniform(random));
  };
}
// As the one before, with up to three processes that come and go with each measurement.
Noise crowded(Random& random) {
  return [&random] { return 1 + std::floor(4 * uniform(random)) + 0.1 * uniform(random); };
}

struct Named {
  const char* name;
  Noise (*make)(Random&);
  int found;  // Percent of pairs that differ by two times, at least. The others are left open.
};
constexpr Named kNoises[] = {{"quiet", quiet, 100},
                             {"drifting", drifting, 98},
                             {"spiking", spiking, 95},
                             {"sharing", sharing, 70},
                             {"crowded", crowded, 35}};
void PrintTo(const Named& noise, std::ostream* out) { *out << noise.name; }

// The search for a ratio, as it is made of two builds.
Ratio measured(double truth, const Noise& noise, double bound = SpeedReport::kWatched) {
  std::vector<SpeedRound> rounds;
  for (int round = 0; round < kMostRounds; ++round) {
    const bool first = round % 2 == 0;
    const double one = noise() * (first ? 1 : truth), other = noise() * (first ? truth : 1);
    rounds.push_back(first ? SpeedRound{one, other} : SpeedRound{other, one});
    if (isResolved(ratioOf(rounds), bound)) break;
  }
  return ratioOf(rounds);
}

class UnderNoise : public testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Machines, UnderNoise, testing::ValuesIn(kNoises),
                         [](const auto& info) { return info.param.name; });

// 400 artifacts with three quantities each, in ten runs, are 12,000 ratios.
TEST_P(UnderNoise, EqualBuildsRaiseNoAlarm) {
  Random random(20261126);
  int alarms = 0;
  for (int pair = 0; pair < 20'000; ++pair)
    alarms +=
        showsAt(measured(1, GetParam().make(random)), SpeedReport::kWatched) == RatioShows::kMore;
  EXPECT_EQ(alarms, 0);
}

TEST_P(UnderNoise, TwiceAsSlowIsFound) {
  Random random(7);
  int found = 0, missed = 0;
  constexpr int kPairs = 2'000;
  for (int pair = 0; pair < kPairs; ++pair) {
    const RatioShows shows = showsAt(measured(2, GetParam().make(random)), SpeedReport::kWatched);
    found += shows == RatioShows::kMore;
    missed += shows == RatioShows::kNoDifference;
  }
  EXPECT_GE(found, kPairs * GetParam().found / 100);
  EXPECT_LE(missed, kPairs * 2 / 100);
}

TEST_P(UnderNoise, TenTimesAsSlowIsFoundInFewRounds) {
  Random random(8);
  int found = 0, rounds = 0;
  for (int pair = 0; pair < 1'000; ++pair) {
    const Ratio ratio = measured(20, GetParam().make(random));
    found += showsAt(ratio, SpeedReport::kWatched) == RatioShows::kMore;
    rounds += ratio.rounds;
  }
  EXPECT_GE(found, 998);
  EXPECT_LE(rounds, 1'000 * 8);
}

// The interval holds the truth nearly always where the noise knows no build.
TEST_P(UnderNoise, TheIntervalHoldsTheTruth) {
  Random random(9);
  int outside = 0;
  constexpr int kPairs = 5'000;
  for (int pair = 0; pair < kPairs; ++pair) {
    std::vector<SpeedRound> rounds;
    const Noise noise = GetParam().make(random);
    for (int round = 0; round < 12; ++round) {
      const double before = noise(), after = 3 * noise();
      rounds.push_back({before, after});
    }
    const Ratio ratio = ratioOf(rounds);
    outside += ratio.low > 3 || ratio.high < 3;
  }
  EXPECT_LE(outside, kPairs * 2 / 100);
}

TEST(Ratio, OneDisturbedRoundMovesNothing) {
  std::vector<SpeedRound> rounds(12, {1, 1.02});
  rounds[3] = {1, 50};
  rounds[7] = {40, 1.02};
  const Ratio ratio = ratioOf(rounds);
  EXPECT_DOUBLE_EQ(ratio.value, 1.02);
  EXPECT_DOUBLE_EQ(ratio.low, 1.02);
  EXPECT_DOUBLE_EQ(ratio.high, 1.02);
  EXPECT_EQ(ratio.rounds, 12);
}

// A few rounds in which other work met one build alone were an alarm.
TEST(Ratio, ASmallExcessNeedsManyRounds) {
  const std::vector<SpeedRound> few(6, {1, 1.8}), many(12, {1, 1.8}), large(4, {1, 30});
  EXPECT_EQ(showsAt(ratioOf(few), 1.5), RatioShows::kNotResolved);
  EXPECT_EQ(showsAt(ratioOf(many), 1.5), RatioShows::kMore);
  EXPECT_EQ(showsAt(ratioOf(large), 1.5), RatioShows::kMore);
}

TEST(Ratio, WhatGetsFasterIsLess) {
  const std::vector<SpeedRound> rounds(12, {2, 1});
  EXPECT_EQ(showsAt(ratioOf(rounds), 1.5), RatioShows::kLess);
}

}  // namespace
}  // namespace vintage::tests

// How often the bisect is right when it names a culprit with some confidence: searches over builds
// whose answers are simulated, with faults that show in some executions, some processes or some
// hours, in builds from the culprit on or in all of them. Prints docs/measured/bisect.md.
//
// usage: bisect_simulation [searches]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/bisect/search.h"
#include "tests/harness/bisect/simulated_sequence.h"

namespace vintage::tests::bisect {
using namespace harness;

namespace {

double between(double least, double most, std::mt19937& random) {
  return std::uniform_real_distribution(least, most)(random);
}

struct Flakiness {
  const char* name;
  // Fills builds that fail from `culprit` on; without a culprit from the first one on.
  void (*fill)(SimulatedSequence& sequence, size_t culprit);
  bool hasCulprit = true;
};

void steady(SimulatedSequence& sequence, size_t culprit) { sequence.fillFrom(culprit, kFault); }

void byExecution(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  const double passes = between(0.1, 0.9, sequence.random);
  for (size_t i = culprit; i < sequence.flickering.size(); ++i) sequence.flickering[i] = passes;
}

void byProcess(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  const double passes = between(0.1, 0.9, sequence.random);
  for (size_t i = culprit; i < sequence.flickering.size(); ++i)
    sequence.flickeringByProcess[i] = passes;
}

void oneInThreePasses(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  for (double& one : sequence.flickeringByProcess) one = 1.0 / 3;
}

void byHour(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  sequence.healthyHours = between(0.1, 0.9, sequence.random);
  sequence.roundsAnHour = std::uniform_int_distribution(1, 8)(sequence.random);
}

// The fault was there before, and shows more often from the culprit on.
void moreOften(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  const double before = between(0.02, 0.15, sequence.random);
  const double after = between(0.1, 0.4, sequence.random);
  for (size_t i = 0; i < sequence.flickering.size(); ++i)
    sequence.flickeringByProcess[i] = i < culprit ? before : after;
}

void someBuilds(SimulatedSequence& sequence, size_t culprit) {
  sequence.fillFrom(culprit, kFault);
  for (size_t i = 1; i + 1 < sequence.flickering.size(); ++i) {
    if (sequence.chance(0.06))
      sequence.flickering[i] = between(0.2, 0.8, sequence.random);
    else if (sequence.chance(0.02))
      sequence.flickeringByProcess[i] = between(0.2, 0.8, sequence.random);
    else if (sequence.chance(0.05))
      sequence.behaviour[i] = SimulatedSequence::kUnstartable;
  }
}

constexpr Flakiness kKinds[] = {
    {"none", steady},
    {"by execution", byExecution},
    {"by execution, in all builds", byExecution, false},
    {"by process", byProcess},
    {"by process, in all builds", byProcess, false},
    {"one process of three passes, in all builds", oneInThreePasses, false},
    {"by process, more often from the culprit on", moreOften},
    {"by hour", byHour},
    {"by hour, in all builds", byHour, false},
    {"of some builds, others do not start", someBuilds},
};
constexpr double kConfidences[] = {0.95, 0.99, 0.999};

struct Counts {
  int named = 0, namedRight = 0, groups = 0, groupsRight = 0;
  size_t probes = 0;
};

Counts simulate(const Flakiness& kind, double confidence, int searches, bool withGoodEnd) {
  Counts counts;
  for (int seed = 0; seed < searches; ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    const size_t count = std::uniform_int_distribution<size_t>(8, 200)(random);
    const size_t culprit =
        kind.hasCulprit ? std::uniform_int_distribution<size_t>(1, count - 1)(random) : 0;
    SimulatedSequence sequence(count, static_cast<unsigned>(seed));
    kind.fill(sequence, culprit);
    SearchProblem problem;
    problem.count = count;
    problem.bad = count - 1;
    if (withGoodEnd) problem.good = 0;
    SearchOptions options;
    options.confidence = confidence;
    options.mostRounds = 60;
    const SearchConclusion found = sequence.search(problem, options);
    for (size_t asked : sequence.asked) counts.probes += asked;
    const bool right = kind.hasCulprit && std::ranges::count(found.candidates, culprit) > 0;
    if (found.verdict == SearchEnding::kFound) {
      ++counts.named;
      counts.namedRight += right;
    } else if (found.verdict == SearchEnding::kCandidates && found.confidence >= confidence) {
      ++counts.groups;
      counts.groupsRight += right;
    }
  }
  return counts;
}

}  // namespace
}  // namespace vintage::tests::bisect

int main(int argc, char** argv) {
  using namespace vintage::tests::bisect;
  const int searches = argc > 1 ? std::atoi(argv[1]) : 1000;
  fmt::print(R"(# How often the bisect is right

Written by `bench/bisect_simulation`: {} searches for each confidence that was asked for, over 8 to
200 builds, the real search (harness/bisect/search.h) with answers that are simulated. *Named*: of so
many searches that named a single build with at least that confidence, so many named the culprit. Where all
builds have the fault there is no culprit, and every name is wrong. *Groups*: of so many that named
several builds, so many had the culprit among them. The others gave no answer. *Probes*: builds asked, on
average.

| the fault shows now and then | good end |)",
             searches);
  for (double confidence : kConfidences)
    fmt::print(" {} %: named | groups | probes |", 100 * confidence);
  fmt::print("\n| --- | --- | --- | --- | ---: | --- | --- | ---: | --- | --- | ---: |\n");
  std::map<double, Counts> all;
  for (const Flakiness& kind : kKinds)
    for (const bool withGoodEnd : {true, false}) {
      fmt::print("| {} | {} |", kind.name, withGoodEnd ? "given" : "none");
      for (double confidence : kConfidences) {
        const Counts counts = simulate(kind, confidence, searches, withGoodEnd);
        fmt::print(" {}/{} | {}/{} | {:.1f} |", counts.namedRight, counts.named, counts.groupsRight,
                   counts.groups, double(counts.probes) / searches);
        all[confidence].named += counts.named;
        all[confidence].namedRight += counts.namedRight;
      }
      fmt::print("\n");
    }
  fmt::print(
      "\n## Together\n\n| confidence | named | right | share |\n| ---: | ---: | ---: | ---: |\n");
  for (const auto& [confidence, counts] : all)
    fmt::print("| {} % | {} | {} | {:.2f} % |\n", 100 * confidence, counts.named, counts.namedRight,
               100.0 * counts.namedRight / std::max(1, counts.named));
}

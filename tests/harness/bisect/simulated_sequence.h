// A sequence of builds that answers probes from a script, for the tests of the
// search.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "harness/bisect/search.h"

namespace vintage::tests::bisect {

inline const std::string kFault = "mismatch of output 0";
inline const std::string kOtherFault = "crash: killed by signal 11";

struct SimulatedSequence {
  // The usual behaviour of a build: "" passes, a kind of failure, or kUnstartable.
  std::vector<std::string> behaviour;
  // Probabilities that an execution, or a whole process, does the opposite (passing becomes kFault
  // and back).
  std::vector<double> flickering, flickeringByProcess;
  // The probability that nothing fails in an hour, and the number of rounds in an hour.
  double healthyHours = 0;
  int roundsAnHour = 4;
  std::vector<size_t> asked;  // How often each build was probed.
  std::mt19937 random;

  inline static const std::string kUnstartable = "!";

  explicit SimulatedSequence(size_t count, unsigned seed = 0)
      : behaviour(count),
        flickering(count, 0),
        flickeringByProcess(count, 0),
        asked(count, 0),
        random(seed) {}

  void fillFrom(size_t first, const std::string& what) {
    for (size_t i = first; i < behaviour.size(); ++i) behaviour[i] = what;
  }

  bool chance(double probability) { return std::bernoulli_distribution(probability)(random); }
  static std::string opposite(const std::string& failure) { return failure.empty() ? kFault : ""; }

  // The processes from `turn` on run in the next hour.
  harness::ProbeAnswer probe(size_t position, const harness::ProbeEffort& effort, int turn = 0,
                             bool lastHourHealthy = false) {
    ++asked[position];
    harness::ProbeAnswer answer;
    if (behaviour[position] == kUnstartable) {
      answer.started = false;
      answer.problem = "a library is missing";
      return answer;
    }
    for (int process = 0; process < effort.processes; ++process) {
      std::string usual = behaviour[position];
      if (process < turn ? lastHourHealthy : hourHealthy_) usual = "";
      if (chance(flickeringByProcess[position])) usual = opposite(usual);
      std::vector<std::string>& failures = answer.processes.emplace_back();
      for (int i = 0; i < effort.executions; ++i)
        failures.push_back(chance(flickering[position]) ? opposite(usual) : usual);
    }
    return answer;
  }

  harness::SearchConclusion search(const harness::SearchProblem& problem,
                                   const harness::SearchOptions& options,
                                   std::vector<harness::Round>& history) {
    for (;;) {
      auto step = harness::nextStep(problem, options, history);
      if (auto* conclusion = std::get_if<harness::SearchConclusion>(&step)) return *conclusion;
      harness::Round round = std::get<harness::Round>(step);
      const bool lastHourHealthy = hourHealthy_;
      int turn = 0;
      if (history.size() % static_cast<size_t>(roundsAnHour) == 0) {
        hourHealthy_ = chance(healthyHours);
        turn = std::uniform_int_distribution(0, round.effort.processes)(random);
        if (history.empty()) turn = 0;
      }
      for (size_t position : round.positions)
        round.answers[position] = probe(position, round.effort, turn, lastHourHealthy);
      history.push_back(std::move(round));
    }
  }
  harness::SearchConclusion search(const harness::SearchProblem& problem,
                                   const harness::SearchOptions& options = {}) {
    std::vector<harness::Round> history;
    return search(problem, options, history);
  }

 private:
  bool hourHealthy_ = false;
};

// How many rounds a search of `count` builds may take.
inline int roundsAllowed(size_t count) {
  int rounds = 7;
  for (size_t reached = 1; reached < count; reached *= 2) ++rounds;
  return rounds;
}

}  // namespace vintage::tests::bisect

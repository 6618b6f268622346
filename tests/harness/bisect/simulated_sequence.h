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
  // What a build always does: "" passes, a kind of failure, or kUnstartable.
  std::vector<std::string> behaviour;
  // Of an execution: that it does the opposite (passing becomes kFault and back).
  std::vector<double> flickering;
  std::vector<size_t> asked;  // How often each build was probed.
  std::mt19937 random;

  inline static const std::string kUnstartable = "!";

  explicit SimulatedSequence(size_t count, unsigned seed = 0)
      : behaviour(count), flickering(count, 0), asked(count, 0), random(seed) {}

  void fillFrom(size_t first, const std::string& what) {
    for (size_t i = first; i < behaviour.size(); ++i) behaviour[i] = what;
  }

  harness::ProbeAnswer probe(size_t position, int executions) {
    ++asked[position];
    harness::ProbeAnswer answer;
    if (behaviour[position] == kUnstartable) {
      answer.started = false;
      answer.problem = "a library is missing";
      return answer;
    }
    std::bernoulli_distribution flickers(flickering[position]);
    for (int i = 0; i < executions; ++i) {
      std::string failure = behaviour[position];
      if (flickers(random)) failure = failure.empty() ? kFault : "";
      answer.failures.push_back(failure);
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
      for (size_t position : round.positions)
        round.answers[position] = probe(position, round.executions);
      history.push_back(std::move(round));
    }
  }
  harness::SearchConclusion search(const harness::SearchProblem& problem,
                                   const harness::SearchOptions& options = {}) {
    std::vector<harness::Round> history;
    return search(problem, options, history);
  }
};

// How many rounds a search of `count` builds may take.
inline int roundsAllowed(size_t count) {
  int rounds = 4;
  for (size_t reached = 1; reached < count; reached *= 2) ++rounds;
  return rounds;
}

}  // namespace vintage::tests::bisect

// Combines all answers: the state of each position and where the fault came in, which positions to
// ask next, and further changes of behaviour along the sequence.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/bisect/search.h"

namespace vintage::harness {

// The results of one process: executions by kind of failure; "" counts passes.
using ProcessAnswer = std::map<std::string, int>;

// Everything that was answered for one position.
struct PositionAnswers {
  int probes = 0;     // Known answers not counted.
  int processes = 0;  // Started by probes.
  bool started = false;
  std::string problem;                 // Where it never started.
  std::vector<ProcessAnswer> answers;  // Of probes and known ones.

  bool asked() const { return probes > 0 || started || !problem.empty(); }
  // Kinds of failure: first those that most processes show; ties go to the most frequent one.
  std::vector<std::string> kinds() const;
  // Whether fewer processes show each other kind than the first.
  bool oneKindLeads() const;
};

std::vector<PositionAnswers> tally(size_t count, const std::vector<Round>& history);

// The executions of one process in the light of a kind of failure.
struct Witness {
  int passes = 0, failures = 0;
};

// How often a fault shows: the share of processes, and within these the share of executions.
struct FaultRate {
  double processes, executions;
  bool operator==(const FaultRate&) const = default;
};

// Probability of the observations if the position flickered at some rate.
struct Flickering {
  Flickering(const std::vector<Witness>& witnesses, double stray);
  double byExecution = 0, byProcess = 0;
};

// How processes behave at a position before and after the fault.
struct ObservationModel {
  FaultRate good{0.003, 1}, bad{0.997, 0.998};
  double flickering = 0.05;           // The share of positions whose executions fail by chance,
  double flickeringByProcess = 0.02;  // or whose processes do.
  double stray = 0.002;               // An execution that goes the other way.

  bool hasCulprit() const { return good != bad; }
  // Probability of these executions in this order.
  double likelihood(const std::vector<Witness>& witnesses, bool isBad) const;
  double likelihood(const std::vector<Witness>& witnesses, bool isBad,
                    const Flickering& flickers) const;
  // A forecast for `more` processes, given the observations so far: all executions pass, all fail,
  // or both occur.
  struct Forecast {
    double allPass = 0, allFail = 0, both = 0;
  };
  Forecast forecast(const std::vector<Witness>& witnesses, bool isBad, int more,
                    int executions) const;
};

// One position in the light of a kind of failure.
struct Evidence {
  enum class State {
    kUnasked,
    kGood,
    kBad,
    kFlickers,  // Or too little is known yet.
    kFailsOtherwise,
    kNotStarted,
  };
  State state = State::kUnasked;
  std::vector<Witness> witnesses;  // Failures of the kind that is searched for.
  int probes = 0;
  bool leans = false;  // To one side, though perhaps not enough for kGood or kBad.
  std::string why;     // kFailsOtherwise: the kind; kNotStarted: the problem.
  int passes() const;
  int failures() const;
  bool silent() const { return state == State::kFailsOtherwise || state == State::kNotStarted; }
};
std::vector<Evidence> weigh(const SearchProblem& problem,
                            const std::vector<PositionAnswers>& tallies,
                            const ObservationModel& model, const std::string& kind);

// Unasked positions inside a run of at least `kRunLength` positions that are silent for one reason,
// with nothing else between them.
inline constexpr size_t kRunLength = 5;
std::vector<bool> presumedSilent(const std::vector<Evidence>& evidence);

// How likely an unasked position is to give a useful answer, judged by its neighbours.
std::vector<double> willSpeak(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed);

// Probability that `first + i` is the first bad position, for first … bad, provided that there is
// one.
struct Posterior {
  size_t first = 0, bad = 0;
  std::vector<double> probability;
  double noCulprit = 0;                // The probability that all positions fail alike.
  ObservationModel model;              // The likeliest one with a culprit.
  double at(size_t position) const;    // 0 outside.
  double upTo(size_t position) const;  // That position is bad.
  std::vector<double> cumulative;
};
// Over all rates at which a fault may show before and after the culprit. Without a good end recent
// faults are likelier, evenly over scales: this makes the search walk back in growing steps.
Posterior posterior(const std::vector<PositionAnswers>& tallies, const ObservationModel& steady,
                    const std::string& kind, size_t first, size_t bad, bool goodEnd);

struct LikelyCulprits {
  std::vector<size_t> positions;  // In order.
  double confidence = 0;          // The probability that the culprit is among them.
};

// The likeliest position, with all positions that no probe separates, or can separate, from it.
LikelyCulprits likeliestGroup(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed, const Posterior& posterior);
// The likeliest positions that together reach the confidence.
LikelyCulprits likelyTogether(const Posterior& posterior, double confidence);

// The positions, at most `slots`, whose answers promise the most bits, so that they cut the
// probability into equal parts; none if no position is worth a probe. `speaks`: how likely each is
// to give a useful answer.
std::vector<size_t> mostTelling(const std::vector<double>& speaks,
                                const std::vector<Evidence>& evidence, const Posterior& posterior,
                                int processes, int executions, size_t slots);

// All changes between positions that are certain. A single position that fails otherwise is an
// accident of that build and no change; two in a row are a change.
std::vector<Transition> findTransitions(const std::vector<Evidence>& evidence,
                                        const std::string& kind);

// Unexplored positions: the middles of the widest gaps between answers.
std::vector<size_t> widestGaps(const std::vector<Evidence>& evidence,
                               const std::vector<bool>& presumed, size_t most);

// Positions that narrow these transitions, spread evenly over them. `speaks`:
// from willSpeak().
std::vector<size_t> insideTransitions(const std::vector<Transition>& transitions,
                                      const std::vector<Evidence>& evidence,
                                      const std::vector<double>& speaks, size_t most);

}  // namespace vintage::harness

// What all answers together say of each position and of where the fault came in, what to ask next
// to know it better, and changes of behaviour along a sequence beside that one.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/bisect/search.h"

namespace vintage::harness {

// What one process showed: how often it failed in which way; "" counts passes.
using ProcessAnswer = std::map<std::string, int>;

// Everything that was answered for one position.
struct PositionAnswers {
  int probes = 0;     // Known answers not counted.
  int processes = 0;  // That probes started.
  bool started = false;
  std::string problem;                 // Where it never started.
  std::vector<ProcessAnswer> answers;  // Of probes and known ones.

  bool asked() const { return probes > 0 || started || !problem.empty(); }
  // Kinds of failure, the one that most processes show first; of those that as many show, the
  // one that was seen most often.
  std::vector<std::string> kinds() const;
  // Whether no other kind is shown by as many processes as the first.
  bool oneKindLeads() const;
};

std::vector<PositionAnswers> tally(size_t count, const std::vector<Round>& history);

// The executions of one process in the light of a kind of failure.
struct Witness {
  int passes = 0, failures = 0;
};

// How often a fault shows: in which share of the processes, and there in which share of the
// executions.
struct FaultRate {
  double processes, executions;
  bool operator==(const FaultRate&) const = default;
};

// Probability of what was seen, had the position flickered at some rate.
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
  // Of what `more` processes will show, after what is known: all executions pass, all fail, or both
  // occur.
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
    kFlickers,  // Or says too little as yet.
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

// Positions that were not asked, but lie in a run of at least `kRunLength` that
// are silent for one reason, with nothing else between them.
inline constexpr size_t kRunLength = 5;
std::vector<bool> presumedSilent(const std::vector<Evidence>& evidence);

// How likely an unasked position is to say anything, judged by its neighbours.
std::vector<double> willSpeak(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed);

// Probability that `first + i` is the first bad position, for first … bad, if there is one.
struct Posterior {
  size_t first = 0, bad = 0;
  std::vector<double> probability;
  double noCulprit = 0;                // That all positions fail alike, now and then.
  ObservationModel model;              // The likeliest one with a culprit.
  double at(size_t position) const;    // 0 outside.
  double upTo(size_t position) const;  // That position is bad.
  std::vector<double> cumulative;
};
// Over all rates at which a fault may show before and after the culprit. Without a good end recent
// faults are likelier, evenly over scales: that is what makes the search walk back in growing
// steps.
Posterior posterior(const std::vector<PositionAnswers>& tallies, const ObservationModel& steady,
                    const std::string& kind, size_t first, size_t bad, bool goodEnd);

struct LikelyCulprits {
  std::vector<size_t> positions;  // In order.
  double confidence = 0;          // That the culprit is among them.
};

// The likeliest position with those that no probe separates, or can separate, from it.
LikelyCulprits likeliestGroup(const std::vector<Evidence>& evidence,
                              const std::vector<bool>& presumed, const Posterior& posterior);
// The likeliest ones that reach the confidence together.
LikelyCulprits likelyTogether(const Posterior& posterior, double confidence);

// The positions, at most `slots`, whose answers promise the most bits, so
// that they cut the probability into equal parts; none where nothing is worth a
// probe. `speaks`: how likely each is to say anything.
std::vector<size_t> mostTelling(const std::vector<double>& speaks,
                                const std::vector<Evidence>& evidence, const Posterior& posterior,
                                int processes, int executions, size_t slots);

// All changes between positions that are certain. A single position that fails
// otherwise is an accident of that build and no change; two in a row are one.
std::vector<Transition> findTransitions(const std::vector<Evidence>& evidence,
                                        const std::string& kind);

// Where nobody has looked: the middles of the widest gaps between answers.
std::vector<size_t> widestGaps(const std::vector<Evidence>& evidence,
                               const std::vector<bool>& presumed, size_t most);

// Positions that narrow these transitions, spread evenly over them. `speaks`:
// from willSpeak().
std::vector<size_t> insideTransitions(const std::vector<Transition>& transitions,
                                      const std::vector<Evidence>& evidence,
                                      const std::vector<double>& speaks, size_t most);

}  // namespace vintage::harness

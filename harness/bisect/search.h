// The search for the first bad position of a sequence (builds by date, commits
// by history), as a pure function: from everything that was answered so far to
// what to ask next, or to what is known. Nothing is kept between calls, so a
// search that was killed goes on from its record as if nothing had happened.
//
// The model. One position t is the first bad one. A position is steady, and
// then passes before t and fails from t on, or it flickers (a share
// `flickering` of them does) and then passes and fails like a coin, wherever
// it lies. What was observed gives each t a probability (Bayes); probes are
// placed where their answers promise the most, k of them so that they
// cut the probability into k+1 equal parts; positions that were asked already
// take part, so that an answer on which much depends is asked again. The
// search ends when one t, or one group of positions that no probe can
// separate, has the probability that was asked for.
//
// What says nothing of t: a position that does not start, and one that fails
// in another way than the bad end does. They come in runs, so the search steps
// away from one by as much as the run around it is known to be long.
//
// Rejected: a bisection that repeats each probe until it believes it. It spends
// repetitions on positions that later do not matter, and one wrong answer sends
// it the wrong way for good.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vintage::harness {

// What a probe of one position showed. A probe executes several times.
struct ProbeAnswer {
  bool started = true;
  std::string problem;  // Why it did not start.
  // One for each execution: the kind of failure, empty where it passed.
  std::vector<std::string> failures;
};

enum class RoundPurpose {
  kKnown,    // What other runs recorded; the ends are asked all the same.
  kEarlier,  // Probes of an earlier search. Neither of the two costs a round.
  kEnds,     // Do the ends behave as was said?
  kNarrow,
  kConfirm,      // Answers that contradict each other.
  kSpotCheck,    // Is there more than one transition?
  kTransitions,  // Narrows the others.
};
std::string purposeName(RoundPurpose purpose);  // "known", "ends", …
std::optional<RoundPurpose> parsePurpose(const std::string& name);

// Positions that are asked at once.
struct Round {
  RoundPurpose purpose = RoundPurpose::kNarrow;
  std::vector<size_t> positions;
  int executions = 1;  // At each position.
  std::map<size_t, ProbeAnswer> answers;
  bool complete() const { return answers.size() == positions.size(); }
};

struct SearchProblem {
  size_t count = 0;
  std::optional<size_t> good;  // None: the search walks back by itself.
  std::optional<size_t> bad;   // None: the newest that starts.
  // Known without asking that it cannot be started. Empty: none.
  std::vector<bool> untestable;
};

struct SearchOptions {
  int probesAtOnce = 2;
  int executions = 10;        // In one probe. More where a fault shows only now and then.
  double confidence = 0.999;  // At which a culprit is named.
  double flickering = 0.05;   // The share of positions that is expected to flicker.
  double stray = 0.002;       // An execution of a steady position that goes the other way.
  int spotCheckRounds = 1;
  bool allTransitions = true;  // Narrow those that were seen beside the main one.
  int mostRounds = 200;
};

// Between two positions that behave differently. What lies between them gave
// no answer, or (not exact) was not asked.
struct Transition {
  size_t after = 0, at = 0;
  std::string from, to;  // Kinds of failure; empty: it passes.
  bool exact = false;    // Nothing that could be asked is left in between.
};

enum class SearchEnding {
  kFound,        // One candidate.
  kCandidates,   // Several, and no probe can separate them.
  kNoGood,       // It fails at the oldest that answers.
  kDoesNotFail,  // At the bad end.
  kGoodEndFails,
  kEndUntestable,  // An end that was named does not start, or does not say.
  kNothingStarts,
  kGaveUp,  // After mostRounds; the candidates are what remains.
};

struct SearchConclusion {
  SearchEnding verdict = SearchEnding::kNothingStarts;
  std::optional<size_t> good, bad;  // The ends as they were used.
  std::string kind;                 // The kind of failure searched for.
  double failureRate = 1;           // How often an execution at a bad position fails.
  std::vector<size_t> candidates;   // In order; the last one is known to be bad.
  double confidence = 0;            // That the culprit is among them.
  std::vector<Transition> transitions;
  std::vector<size_t> flickering, notStarted, otherFailures;  // Among what was asked.
  int rounds = 0;                                             // All of them.
  int roundsToCulprit = 0;  // Without those that looked for other transitions.
  // kEndUntestable: which end.
  std::optional<size_t> end;
};

// `history` holds complete rounds in their order.
std::variant<Round, SearchConclusion> nextStep(const SearchProblem& problem,
                                               const SearchOptions& options,
                                               const std::vector<Round>& history);

}  // namespace vintage::harness

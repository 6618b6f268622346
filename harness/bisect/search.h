// The search for the first bad position of a sequence (builds by date, commits by history), as a
// pure function: from all answers so far to the next question, or to the conclusion. It keeps no
// state between calls, so a search that was killed continues from its record as if nothing had
// happened.
//
// The model. One position t is the first bad one. A position is steady, and then passes before t
// and fails from t on, or it flickers (a share `flickering` of them does) and then passes and fails
// like a coin, on either side of t. The observations give each t a probability (Bayes). Probes are
// placed where their answers promise the most: k probes cut the probability into k+1 equal parts.
// Positions that were already asked take part, so that an answer on which much depends is asked
// again. The search ends when one t, or one group of positions that no probe can separate, has the
// requested probability.
//
// The witness is a process, not an execution: much is decided when a process starts (autotuning,
// layout, hash seeds). It is not known beforehand how often the fault shows, by process and by
// execution; the probability of t is taken over all rates, and over the possibility that every
// position fails at one rate, so that there is no t. Both ends are asked in several fresh
// processes. So are the last good and the first bad position, side by side: a full disk or a loaded
// machine fails at both, and the search names no culprit before one passed while the other failed.
//
// Two kinds of positions give no evidence about t: those that do not start, and those that fail in
// another way than the bad end. They come in runs, so the search steps away from one by the known
// length of the run around it.
//
// Rejected: a bisection that repeats each probe until it believes it. It spends repetitions on
// positions that later do not matter, and one wrong answer misleads it for good.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vintage::harness {

// The result of a probe of one position. A probe starts fresh processes, one after the other; each
// executes several times.
struct ProbeAnswer {
  bool started = true;
  std::string problem;  // Why it did not start.
  // By process and execution: the kind of failure, empty where it passed.
  std::vector<std::vector<std::string>> processes;
  std::vector<std::string> executions() const;  // Of all processes.
};

// How thoroughly a probe asks.
struct ProbeEffort {
  int processes = 1;
  int executions = 1;  // In each.
};

enum class RoundPurpose {
  kKnown,    // Outcomes that other runs recorded; the ends are probed nevertheless.
  kEarlier,  // Probes of an earlier search. Neither of the two costs a round.
  kEnds,     // Do the ends behave as was said?
  kNarrow,
  kConfirm,      // Contradictory answers, and those on which the conclusion rests.
  kSpotCheck,    // Is there more than one transition?
  kTransitions,  // Narrows the others.
};
std::string purposeName(RoundPurpose purpose);  // "known", "ends", …
std::optional<RoundPurpose> parsePurpose(const std::string& name);

// Positions that are asked at once.
struct Round {
  RoundPurpose purpose = RoundPurpose::kNarrow;
  std::vector<size_t> positions;
  ProbeEffort effort;  // At each position.
  std::map<size_t, ProbeAnswer> answers;
  bool complete() const { return answers.size() == positions.size(); }
};

struct SearchProblem {
  size_t count = 0;
  std::optional<size_t> good;  // None: the search walks back by itself.
  std::optional<size_t> bad;   // None: the newest that starts.
  // Positions that are known, without a probe, not to start. Empty: none.
  std::vector<bool> untestable;
  // Whether the order of this position and the one before it is unknown. Empty: all are known.
  std::vector<bool> unordered;
};

struct SearchOptions {
  int probesAtOnce = 2;
  int executions = 10;        // In a process. More where a fault shows only now and then.
  double confidence = 0.999;  // At which a culprit is named.
  double flickering = 0.05;   // The share of positions that is expected to flicker.
  double stray = 0.002;       // An execution of a steady position that goes the other way.
  int spotCheckRounds = 1;
  bool allTransitions = true;  // Narrow those that were seen beside the main one.
  int mostRounds = 200;
};

// Between two positions that behave differently. Positions between them (if not exact) gave no
// answer, or were not asked.
struct Transition {
  size_t after = 0, at = 0;
  std::string from, to;  // Kinds of failure; empty: it passes.
  bool exact = false;    // Nothing lies in between.
};

enum class SearchEnding {
  kFound,        // One candidate.
  kCandidates,   // Several, and no probe can separate them.
  kNoGood,       // It fails at the oldest that answers.
  kDoesNotFail,  // At the bad end.
  kGoodEndFails,
  kEndUntestable,  // A named end does not start, or gives no answer.
  kNothingStarts,
  kGaveUp,    // After mostRounds; the remaining positions are the candidates.
  kUnsteady,  // The last good and the first bad position do not differ, asked side by side.
};

struct SearchConclusion {
  SearchEnding verdict = SearchEnding::kNothingStarts;
  std::optional<size_t> good, bad;      // The ends as they were used.
  std::string kind;                     // The kind of failure searched for.
  std::vector<std::string> otherKinds;  // Further kinds of failure at the bad end.
  double failureRate = 1;               // How often an execution at a bad position fails.
  std::vector<size_t> candidates;       // In order; the last one is known to be bad.
  double confidence = 0;                // The probability that the culprit is among them.
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

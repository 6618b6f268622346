// Where the first bad position lies, given what was seen, and what to ask next
// to know it better; and changes of behaviour along a sequence beside that one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/bisect/evidence.h"
#include "harness/bisect/search.h"

namespace vintage::harness {

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
                                const ObservationModel& model, int executions, size_t slots);

// All changes between positions that are certain. A single position that fails
// otherwise is an accident of that build and no change; two in a row are one.
std::vector<Transition> findTransitions(const std::vector<Evidence>& evidence,
                                        const std::vector<bool>& presumed, const std::string& kind);

// Where nobody has looked: the middles of the widest gaps between answers.
std::vector<size_t> widestGaps(const std::vector<Evidence>& evidence,
                               const std::vector<bool>& presumed, size_t most);

// Positions that narrow these transitions, spread evenly over them. `speaks`:
// from willSpeak().
std::vector<size_t> insideTransitions(const std::vector<Transition>& transitions,
                                      const std::vector<Evidence>& evidence,
                                      const std::vector<double>& speaks, size_t most);

}  // namespace vintage::harness

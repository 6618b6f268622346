// Where the first bad position lies, given what was seen, and what to ask next
// to know it better.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/bisect/evidence.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

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

}  // namespace vintage::harness::bisect

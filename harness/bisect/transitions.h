// Changes of behaviour along a sequence, beside the one that is searched for.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/bisect/evidence.h"
#include "harness/bisect/room.h"
#include "harness/bisect/search.h"

namespace vintage::harness::bisect {

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

}  // namespace vintage::harness::bisect

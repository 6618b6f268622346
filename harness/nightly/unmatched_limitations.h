// Declared limitations that a night showed to cover nothing.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "harness/nightly/room.h"

namespace vintage::harness::nightly {

// Those that covered nothing that ran, though they name a platform and a mode that did.
std::vector<std::string> unmatchedLimitations(std::span<const RecordedLimitation> limitations,
                                              const std::set<std::string>& matched,
                                              const std::vector<std::string>& platforms,
                                              const std::vector<std::string>& modes);

}  // namespace vintage::harness::nightly

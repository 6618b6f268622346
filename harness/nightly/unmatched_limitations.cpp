#include "harness/nightly/unmatched_limitations.h"

#include <algorithm>

namespace vintage::harness::nightly {
namespace {

bool anyOf(const std::vector<std::string>& declared, const std::vector<std::string>& ours) {
  return declared.empty() || std::ranges::find_first_of(declared, ours) != declared.end();
}

}  // namespace

std::vector<std::string> unmatchedLimitations(std::span<const RecordedLimitation> limitations,
                                              const std::set<std::string>& matched,
                                              const std::vector<std::string>& platforms,
                                              const std::vector<std::string>& modes) {
  std::vector<std::string> unmatched;
  for (const RecordedLimitation& limitation : limitations)
    // What is not even tried has no outcome; validateLimitations() has seen that a case of the
    // catalogue is covered.
    if (!limitation.skipRun && anyOf(limitation.platforms, platforms) &&
        anyOf(limitation.modes, modes) && !matched.contains(limitation.id))
      unmatched.push_back(limitation.id);
  return unmatched;
}

}  // namespace vintage::harness::nightly

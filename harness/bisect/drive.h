// Carries out a search: asks what nextStep() wants to know, remembers every
// answer before the next question, and goes on where an earlier run stopped.
#pragma once

#include <functional>
#include <vector>

#include "golden/base/result.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"

namespace vintage::harness {

// For whoever watches.
struct SearchEvents {
  std::function<void(const Round& round, int number)> roundBegins;
  std::function<void(size_t position, const ProbeReport& report)> answered;
};

// Records an answer where others find it and names the archive's run; before
// the journal says that it was asked.
using KeepProbe =
    std::function<Result<std::string>(size_t position, const ProbeReport& report)>;

// `known` holds what other runs recorded. `probesMade` counts what was really
// asked this time.
Result<SearchConclusion> driveSearch(const SearchProblem& problem, const SearchOptions& options,
                                     const std::vector<Round>& known, ProbeRunner& runner,
                                     Journal& journal, const KeepProbe& keep,
                                     const SearchEvents& events, int& probesMade);

}  // namespace vintage::harness

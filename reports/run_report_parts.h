// What the text and the JSON of a run's report share.
#pragma once

#include <string>
#include <vector>

#include "reports/room.h"
#include "reports/run_report.h"

namespace vintage::reports {

// In an order that does not depend on which worker was faster.
std::vector<const Pair*> sortedPairs(const RunSummary& summary);
std::vector<const Pair*> sortedPairs(std::vector<const Pair*> pairs);
std::vector<const SkippedPair*> sortedSkips(const RunSummary& summary);
// The verdict's reason, in a sentence.
std::string explanation(const RunSummary& summary, const RunCounts& counts, Verdict verdict);

}  // namespace vintage::reports

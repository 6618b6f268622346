// What the text and the JSON of a run's report share.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.h"

namespace vintage::reports {

// In an order that does not depend on which worker was faster.
std::vector<const archive::Pair*> sortedPairs(const archive::RunSummary& summary);
std::vector<const archive::Pair*> sortedPairs(std::vector<const archive::Pair*> pairs);
std::vector<const archive::Pair*> sortedSkips(const archive::RunSummary& summary);
// That pairs failed and no operation is a suspect; empty otherwise.
std::string noSuspectText(const archive::RunSummary& summary);

}  // namespace vintage::reports

// The custom-call targets of an Exported's derivatives.
//
// Whoever differentiates what it loaded calls them: an artifact needs them like those of
// its own program.
#pragma once

#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/exported/exported.h"
#include "golden/program/program.h"
#include "harness/importer/room.h"

namespace vintage::harness::importer {

// Derivatives of every order count. Sorted; empty where there is none.
Result<std::vector<std::string>> derivativeTargets(ProgramContext& context,
                                                   const Exported& exported,
                                                   const std::string& name);

// Both sorted lists in one, each target once.
std::vector<std::string> mergedTargets(const std::vector<std::string>& one,
                                       const std::vector<std::string>& other);

}  // namespace vintage::harness::importer

// What the failures of a run have in common.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/room.h"

namespace vintage::reports {

struct Suspect {
  std::string operation;   // "stablehlo.compare EQ", "stablehlo.reduce over stablehlo.add"
  size_t failing = 0;      // Failing artifacts that hold it and no earlier suspect explains.
  size_t holding = 0;      // Artifacts of the run that hold it.
  // Of the smallest of those programs: where to look first. Sorted.
  std::vector<std::string> primitives;
  std::string simplest;    // Name of one of them.
};

}  // namespace vintage::reports

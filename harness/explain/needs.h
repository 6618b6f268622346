// What an artifact's bytes need, and the operation that forces each need.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/explain/room.h"

namespace vintage::harness::explain {

struct ForcedNeeds {
  std::string minimumStablehlo;  // The lowest version that could carry the program.
  std::string stablehloForcedBy; // Empty at the oldest version.
  int minimumSerialization = 0;  // That could hold the Exported; 0: it is none.
  std::string serializationForcedBy;
  struct Target {
    std::string name;
    std::string operation;  // The first that calls it: "operation 3 of @main".
    int calls = 0;
  };
  std::vector<Target> targets;  // By name.
};

// Reads in a child process; kBadInput where the bytes cannot be read.
Result<ForcedNeeds> forcedNeeds(std::span<const std::byte> bytes, ArtifactRecord::Format format,
                                const std::string& name);

}  // namespace vintage::harness::explain

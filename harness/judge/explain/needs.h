// What an artifact's bytes need, and the operation that forces each need.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::harness {

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
Result<ForcedNeeds> forcedNeeds(std::span<const std::byte> bytes,
                                archive::ArtifactRecord::Format format, const std::string& name);

}  // namespace vintage::harness

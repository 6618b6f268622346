// How far the outputs of artifacts scatter by rounding (golden/compare/noise.h), measured with
// the embedded engine.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"

namespace vintage::harness {

struct NoiseOptions {
  // For the runs of one artifact together; a program may never end.
  std::chrono::milliseconds limit{20'000};
  size_t memoryLimitBytes = size_t{8} << 30;  // Of one child.
  int jobs = 1;                               // Child processes.
};

// Runs each artifact that has a golden six times, rounding to nearest and at random with five
// seeds, in child processes, and sets Golden::noise. Goldens are left as they are where floats
// have no part in them, where they compare by meaning, and where nobody here runs the artifact.
// For each artifact why it could not be measured; empty: it was, or there was nothing to measure.
std::vector<std::string> measureNoise(std::span<archive::Archive::Put* const> puts,
                                      const NoiseOptions& options);

// Of an artifact that is kept already as `record`: the noise of its golden is taken over, so that
// putting it again changes nothing, whatever measured it.
void takeNoise(const archive::Archive& archive, const archive::ArtifactRecord& record,
               archive::Archive::Put& put);

}  // namespace vintage::harness

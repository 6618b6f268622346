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
// seeds, in child processes, and sets Golden::noise. Leaves goldens without floats, those
// that compare by meaning, and those of artifacts that the engine does not run. Returns for each
// artifact why it could not be measured; empty: it was, or there was nothing to measure.
std::vector<std::string> measureNoise(std::span<archive::Archive::Put* const> puts,
                                      const NoiseOptions& options);

// Takes over the noise of the golden of `record`, which the archive already has: putting the
// artifact again then changes nothing, whatever measured it.
void takeNoise(const archive::Archive& archive, const archive::ArtifactRecord& record,
               archive::Archive::Put& put);

}  // namespace vintage::harness

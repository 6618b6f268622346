// How far the outputs of artifacts scatter by rounding (golden/compare/noise.h), measured with the
// embedded engine, and its own opinion on what they should be.
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

// Runs each artifact that has a golden once, and where roundings have a part in its values five
// times more, at random with five seeds; in child processes. Sets Golden::noise, and Golden::second
// where the engine gives other values. Leaves the goldens of artifacts that the engine does not
// run. Returns for each artifact why its noise could not be measured; empty: it was, or it has
// none.
std::vector<std::string> measureNoise(std::span<archive::Archive::Put* const> puts,
                                      const NoiseOptions& options);

// The same for one that has a golden, in this process: for programs that it just ran.
Status measureNoiseHere(archive::Archive::Put& put, const NoiseOptions& options);

// Takes over the noise and the second opinion of the golden of `record`, which the archive already
// has: putting the artifact again then changes nothing, whatever measured it.
void takeNoise(const archive::Archive& archive, const archive::ArtifactRecord& record,
               archive::Archive::Put& put);

}  // namespace vintage::harness

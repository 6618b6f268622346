// Tonight's artifacts: every case of the catalogue, exported with its golden.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/archive.h"
#include "golden/result.h"
#include "primitives/case.h"

namespace vintage {

struct GenerateReport {
  size_t cases = 0;
  size_t exported = 0;  // Artifacts: a case has one for each platform.
  size_t added = 0;     // Of those; the others were there already, with the same bytes.
  size_t declared = 0;  // Not exported, as a limitation says.
  std::vector<Error> refused;  // Not exported, and nothing says why; each names its case.
};

// Exports `cases` for each of their platforms on `threads` threads, each with
// a ProgramContext of its own, and archives them in batches as `producer`'s,
// under the name CASE/PLATFORM. `progress` counts cases. An error is one of
// the archive.
Result<GenerateReport> generateArtifacts(std::span<const Case* const> cases,
                                         const BuildRecord& producer, int threads,
                                         Archive& archive,
                                         const std::function<void(size_t done)>& progress);

}  // namespace vintage

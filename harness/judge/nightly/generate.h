// Tonight's artifacts: every case of the catalogue, exported with its golden.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/replay/phase_meter.h"
#include "primitives/catalogue/case.h"

namespace vintage::harness {

struct GenerateReport {
  size_t cases = 0;
  size_t exported = 0;         // Artifacts: a case has one for each platform.
  size_t added = 0;            // The other exports were there already, with the same bytes.
  size_t declared = 0;         // Not exported, as a limitation says.
  std::vector<Error> refused;  // Not exported, and nothing says why; each names its case.
};

struct GenerateOptions {
  int threads = 1;                     // Each with a ProgramContext of its own.
  std::vector<std::string> platforms;  // Of the cases' own; empty: all of them.
  PhaseMeter* phases = nullptr;        // Gets the parts of the present phase.
  const primitives::Profile* profile = &primitives::newestProfile();  // The form of the exports.
};

// Exports `cases` for each of their platforms and archives them in batches as
// `producer`'s, under the name CASE/PLATFORM. `progress` counts cases. An error
// is one of the archive.
Result<GenerateReport> generateArtifacts(std::span<const primitives::Case* const> cases,
                                         const archive::BuildRecord& producer,
                                         const GenerateOptions& options, archive::Archive& archive,
                                         const std::function<void(size_t done)>& progress);

}  // namespace vintage::harness

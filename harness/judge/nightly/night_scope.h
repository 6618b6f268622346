// What a night judges, and what of that nothing can run (docs/verdicts.md, "Scope").
#pragma once

#include <span>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/judge/nightly/nightly.h"

namespace vintage::harness {

struct NightBuilds {
  const archive::BuildRecord& tonight;
  std::span<const RealRelease> releases;
  std::span<const archive::BuildRecord> registered;  // All that the archive knows.
  archive::DateRange forwardWindow;                  // Of tonight's build.
};

// Whether a release exported what it cannot run itself, such as a call of a target that it lacks:
// there is no golden to compare with, and the night leaves it out.
bool isBeyond(const RealRelease& release, const archive::ArtifactRecord& record);

// Tonight's artifacts are archived already; nothing has run yet.
Result<archive::RunScope> settleScope(const NightlyOptions& options, const NightBuilds& builds,
                                      const archive::Archive& archive);

}  // namespace vintage::harness

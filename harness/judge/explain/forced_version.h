// Whether a consumer refuses an artifact by a number alone: it is run as if it were of a version
// that the consumer reads. A diagnostic: nothing of it is recorded, and no verdict knows it.
#pragma once

#include <string>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"

namespace vintage::harness {

struct ForcedVersion {
  int version = 0;                           // The calling convention under which it was called.
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;  // Compared with the golden.
  std::string detail;                        // Empty on a pass.
};

// Where an artifact's calling convention is beyond the build's: as if it were the newest that the
// build reads. kUsage where it is not, and where the build's worker cannot be asked for it.
Result<ForcedVersion> runForced(const archive::Archive& archive,
                                const archive::ArtifactRecord& artifact,
                                const archive::BuildRecord& build, const std::string& platform,
                                const std::string& mode, ProcessHost& host);

// "a gate by number alone: called as calling convention 9 it passes", …
std::string forcedText(const ForcedVersion& forced);

}  // namespace vintage::harness

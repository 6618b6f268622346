// Holds: single artifacts that stay whatever a policy says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/retention/room.h"
#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive::retention {

struct Hold {
  ArtifactRecord artifact;
  std::string reason;
  std::string placed;         // "2026-11-20T21:50:00Z"
  std::optional<Date> until;  // The last day; empty: until it is released.

  bool covers(Date today) const { return !until || today <= *until; }
};

// Replaces the artifact's hold. kUsage without a reason; kNotFound where the
// artifact went meanwhile.
Status placeHold(Archive& archive, const ArtifactRecord& artifact, const std::string& reason,
                 std::optional<Date> until);
// kNotFound where there is none.
Status releaseHold(Archive& archive, const ArtifactRecord& artifact);
// By build date and name; those that are over as well.
Result<std::vector<Hold>> allHolds(const Archive& archive);

}  // namespace vintage::archive::retention

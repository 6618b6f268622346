// Whether a build would load an artifact, by facts alone.
#pragma once

#include <string>
#include <vector>

#include "archive/store/records.h"

namespace vintage::harness {

enum class WouldLoad { kYes, kNo, kCannotTell };
std::string_view wouldLoadName(WouldLoad answer);  // "yes", "no", "cannot tell"

struct LoadAnswer {
  WouldLoad answer = WouldLoad::kYes;
  std::vector<std::string> reasons;  // Why not, or what is not known.
};

// Whether XLA reads for it: a release of JAX, or facts of one.
bool readsByXla(const archive::BuildRecord& build);

// A build known by its facts lists only the guaranteed targets, and registers others too: a missing
// target proves nothing. A build that described itself lists all of them, but XLA's compiler knows
// targets that no registry holds. Releases of JAX run much that is newer than they are: 0.6.0,
// which knows calling convention 9 and serialization 4, runs most exports of 0.9.0 with 10 and 6.
// They refuse unknown parts of it (an operation, a field), and version numbers do not show those.
// Between BuildDetails::surelyReads and the build's StableHLO version the answer is "cannot tell"
// too. Fields that the artifact's record leaves open are not checked.
LoadAnswer wouldLoad(const archive::ArtifactRecord& artifact, const archive::BuildRecord& build);

}  // namespace vintage::harness

// The exit statuses of every verb, in one place.
#pragma once

#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

enum ExitStatus : int {
  kExitHolds = 0,        // It holds, or it was done.
  kExitDoesNotHold = 1,  // A broken promise, a violation, a mismatch.
  kExitWrongCall = 2,    // An option, an argument, a path that is not there.
  kExitCannotTell = 3,   // A broken build, a damaged file, a missing tool.
  kExitNothingRan = 4,
  kExitNeedsReview = 5,    // Of the gate: neither allowed nor forbidden; a person decides.
};

constexpr ExitStatus exitStatusOf(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kNotFound: return kExitWrongCall;
    case Error::Kind::kMismatch:
    case Error::Kind::kConflict: return kExitDoesNotHold;
    case Error::Kind::kBadInput:
    case Error::Kind::kUnsupported:
    case Error::Kind::kIo:
    case Error::Kind::kResource: return kExitCannotTell;
  }
  return kExitCannotTell;
}

}  // namespace vintage::harness::command

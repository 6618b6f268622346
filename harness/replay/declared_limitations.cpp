#include "harness/replay/declared_limitations.h"

#include <algorithm>

namespace vintage::harness::replay {

std::optional<FailureKind> failureOf(OutcomeKind outcome) {
  switch (outcome) {
    case OutcomeKind::kError:
    case OutcomeKind::kUnsupported:
      return FailureKind::kRefused;
    case OutcomeKind::kMismatch:
      return FailureKind::kWrongValue;
    case OutcomeKind::kCrash:
      return FailureKind::kCrash;
    case OutcomeKind::kTimeout:
      return FailureKind::kTimeout;
    case OutcomeKind::kPass:
    case OutcomeKind::kCompiled:
    case OutcomeKind::kRunnerError:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<RecordedLimitation> declaredLimitations() {
  std::vector<RecordedLimitation> recorded;
  for (const Limitation& limitation : limitations())
    recorded.push_back({limitation.id, limitation.primitive, limitation.dtypes,
                        limitation.platforms, limitation.modes, limitation.variants,
                        limitation.description, limitation.issue, limitation.since,
                        limitation.until, limitation.skipRun});
  return recorded;
}

bool speaksOf(std::string_view limitation, OutcomeKind outcome) {
  const auto declared = std::ranges::find(limitations(), limitation, &Limitation::id);
  if (declared == limitations().end() || outcome == OutcomeKind::kRunnerError) return false;
  const auto declares = [&](FailureKind failure) {
    return std::ranges::find(declared->failures, failure) != declared->failures.end();
  };
  // What was not run may still have wrong values, or crash then.
  if (outcome == OutcomeKind::kCompiled) return declares(FailureKind::kRefused);
  const auto failure = failureOf(outcome);
  return !failure || declares(*failure);
}

}  // namespace vintage::harness::replay

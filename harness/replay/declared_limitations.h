// The declared limitations in the form in which a run records them, and what they cover.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "archive/store/records.h"
#include "harness/replay/room.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness::replay {

std::vector<RecordedLimitation> declaredLimitations();

// None: it is no failure of what ran.
std::optional<FailureKind> failureOf(OutcomeKind outcome);

// Whether the limitation of this id, of which a use is already covered, says anything of the
// outcome: of a pass, which contradicts it, and of failures of the kinds that it declares. One
// that is not declared, and an empty id, say nothing.
bool speaksOf(std::string_view limitation, OutcomeKind outcome);

}  // namespace vintage::harness::replay

// The declared limitations in the form in which a run records them.
#pragma once

#include <vector>

#include "archive/store/records.h"
#include "harness/replay/room.h"

namespace vintage::harness::replay {

std::vector<RecordedLimitation> declaredLimitations();

}  // namespace vintage::harness::replay

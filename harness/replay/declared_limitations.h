// The declared limitations in the form in which a run records them.
#pragma once

#include <vector>

#include "archive/records.h"

namespace vintage {

std::vector<RecordedLimitation> declaredLimitations();

}  // namespace vintage

// The accuracy that a run measured, read back from its record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.h"
#include "golden/result.h"
#include "reports/accuracy.h"

namespace vintage {

// Of the newest run that measured on `build`, by primitive; empty where none did.
Result<std::vector<AccuracyRow>> recordedAccuracy(const Archive& archive, const std::string& build);

}  // namespace vintage

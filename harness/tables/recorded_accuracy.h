// The accuracy that a run measured, read back from its record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/tables/room.h"
#include "reports/accuracy.h"

namespace vintage::harness::tables {

// From the newest run that measured on `build`, by primitive; empty where none did.
Result<std::vector<AccuracyRow>> recordedAccuracy(const Archive& archive, const std::string& build);

}  // namespace vintage::harness::tables

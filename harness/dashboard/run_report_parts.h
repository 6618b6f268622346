// Parts of a run's report, which may take megabytes, without holding the rest of it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/dashboard/room.h"

namespace vintage::harness::dashboard {

// The field "verdict" of a report; reads no further than that. Empty: it has none.
std::string verdictOfReport(std::string_view report);

// The rows of "accuracy"; empty where nothing was measured.
nlohmann::json accuracyOfReport(std::string_view report);

}  // namespace vintage::harness::dashboard

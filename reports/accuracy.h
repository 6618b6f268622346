// The distance of a build's results from the oracle's, by primitive and dtype.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "archive/records/run_summary.h"

namespace vintage::reports {

std::string accuracyMarkdown(std::span<const archive::AccuracyRow> rows);
// Columns for a terminal.
std::string accuracyText(std::span<const archive::AccuracyRow> rows);
nlohmann::ordered_json accuracyJson(std::span<const archive::AccuracyRow> rows);

}  // namespace vintage::reports

// The life of each custom-call target over releases, as text, JSON and Markdown.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "harness/tables/target_life.h"
#include "harness/tables/room.h"

namespace vintage::harness::tables {

std::string targetTableText(const std::vector<TargetLife>& lives);
std::string targetTablePage(const std::vector<TargetLife>& lives,
                            const std::vector<RuntimeDescription>& releases);
nlohmann::json targetTableJson(const std::vector<TargetLife>& lives);

}  // namespace vintage::harness::tables

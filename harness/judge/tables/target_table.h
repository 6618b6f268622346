// The life of each custom-call target over releases, as text, JSON and Markdown.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/runtime_description.h"
#include "harness/judge/tables/target_life.h"

namespace vintage::harness {

std::string targetTableText(const std::vector<TargetLife>& lives);
std::string targetTablePage(const std::vector<TargetLife>& lives,
                            const std::vector<archive::RuntimeDescription>& releases);
nlohmann::json targetTableJson(const std::vector<TargetLife>& lives);

}  // namespace vintage::harness

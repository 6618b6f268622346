// Records of the archive in the machine format of the command line.
#pragma once

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

nlohmann::json toJson(const ArtifactRecord& record);
nlohmann::json toJson(const BuildRecord& build);

}  // namespace vintage::harness::command

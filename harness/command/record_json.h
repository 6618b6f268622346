// Records of the archive in the machine format of the command line.
#pragma once

#include <nlohmann/json.hpp>

#include "archive/records.h"

namespace vintage {

nlohmann::json toJson(const ArtifactRecord& record);
nlohmann::json toJson(const BuildRecord& build);

}  // namespace vintage

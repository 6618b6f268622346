// Builds' rows in the index.
#pragma once

#include <vector>

#include "archive/database.h"
#include "archive/records.h"
#include "golden/result.h"

namespace vintage {

Status putBuildRow(Database& database, const BuildRecord& build);
// By build date and name.
Result<std::vector<BuildRecord>> allBuilds(Database& database);

}  // namespace vintage

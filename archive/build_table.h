// Builds' rows in the index.
#pragma once

#include <string_view>
#include <vector>

#include "archive/database.h"
#include "archive/records.h"
#include "golden/result.h"

namespace vintage {

Status putBuildRow(Database& database, const BuildRecord& build);
// By build date and name.
Result<std::vector<BuildRecord>> allBuilds(Database& database);
// See Archive::removeBuild.
Status removeBuildRow(Database& database, std::string_view name, bool withOutcomes);

}  // namespace vintage

// Builds' rows in the index.
#pragma once

#include <string_view>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

Status putBuildRow(Database& database, const BuildRecord& build);
// By build date and name.
Result<std::vector<BuildRecord>> allBuilds(Database& database);
// See Archive::removeBuild.
Status removeBuildRow(Database& database, std::string_view name, bool withOutcomes);

}  // namespace vintage::archive::store

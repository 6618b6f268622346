// Runs' rows in the index, and the limitations that each was judged by.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// Inside the caller's transaction; replaces what was kept under the run's id.
Status putRunRow(Database& database, const RunRecord& run,
                 std::span<const RecordedLimitation> limitations);
// kUsage where `verdict` is not JSON.
Status finishRunRow(Database& database, std::string_view run, std::string_view finished,
                    std::string_view verdict);
// kNotFound where there is none.
Result<RunRecord> findRun(Database& database, std::string_view run);
// In order of id, without their verdicts.
Result<std::vector<RunRecord>> allRuns(Database& database);
Result<std::vector<RecordedLimitation>> limitationsOfRun(Database& database, std::string_view run);

}  // namespace vintage::archive::store

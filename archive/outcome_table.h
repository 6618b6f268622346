// Outcomes' rows in the index.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/database.h"
#include "archive/records.h"
#include "golden/result.h"

namespace vintage {

// Inside the caller's transaction.
Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes);

struct OutcomeQuery {
  std::string sql;  // Of the columns that findOutcomes reads.
  std::vector<std::function<void(Query&)>> bindings;
};
OutcomeQuery makeOutcomeQuery(const OutcomeFilter& filter);

// In order of (run, build, artifact, golden, platform, mode).
Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter);

}  // namespace vintage

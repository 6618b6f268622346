// Outcomes' rows in the index.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// Inside the caller's transaction.
Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes);

struct OutcomeQuery {
  // Both in order of (run, build, artifact, golden, platform, mode), with the same
  // bindings: the columns that outcomeOfColumns reads; (position from 1, row).
  std::string recordsSql, rowsSql;
  std::vector<std::function<void(Query&)>> bindings;

  void bind(Query& query) const {
    for (const auto& binding : bindings) binding(query);
  }
};
OutcomeQuery makeOutcomeQuery(const OutcomeFilter& filter);

Result<std::vector<OutcomeRecord>> findOutcomes(Database& database, const OutcomeFilter& filter);
// The same, one after the other, without holding all of them; nothing of SQLite is
// open meanwhile. Stops when `visit` returns false.
Status visitOutcomes(Database& database, const OutcomeFilter& filter,
                     const std::function<bool(const OutcomeRecord&)>& visit);

}  // namespace vintage::archive::store

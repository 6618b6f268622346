// The index's rows of builds, outcomes and runs, with the limitations that each run was judged
// by. Writers run inside the caller's transaction; what they replace is noted
// (archive/store/change_log.h), or refused (kConflict) where the author may only add.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/limitation.h"
#include "archive/store/archive.h"
#include "archive/store/change_log.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

Status putBuildRow(Database& database, const BuildRecord& build, const Author& author);
// From the oldest on (archive/records/build_order.h).
Result<std::vector<BuildRecord>> allBuilds(Database& database);
Result<std::vector<Archive::FormerCommand>> allFormerCommands(Database& database);
// See Archive::removeBuild.
Status removeBuildRow(Database& database, std::string_view name, bool withOutcomes,
                      const Author& author);

Status putOutcomeRows(Database& database, std::span<const OutcomeRecord> outcomes,
                      const Author& author);

// The condition that outcome AS o is the latest that counts of its artifact, golden, build,
// platform and mode: probes do not (kProbingRun). `runs`: a condition on a run; then the latest
// among those, of any kind.
std::string isLatestOutcome(std::string_view runs = {});

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

// Replaces what was kept under the run's id.
Status putRunRow(Database& database, const RunRecord& run,
                 std::span<const Limitation> limitations, const Author& author);
// kUsage where `verdict` is not JSON.
Status finishRunRow(Database& database, std::string_view run, std::string_view finished,
                    std::string_view verdict, std::string_view result, const Author& author);
// kNotFound where there is none.
Result<RunRecord> findRun(Database& database, std::string_view run);
// In order of id, without their verdicts.
Result<std::vector<RunRecord>> allRuns(Database& database);
Result<std::vector<Limitation>> limitationsOfRun(Database& database, std::string_view run);

}  // namespace vintage::archive

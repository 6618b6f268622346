// What an archive holds, counted, and the names by which pages are divided.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

struct ArchivedProducer {
  std::string name;
  Date buildDate{};  // The earliest, should its artifacts disagree.
  int64_t artifacts = 0;
};
// By build date and name.
Result<std::vector<ArchivedProducer>> archivedProducers(const Archive& archive);
// Sorted; an empty one stands for artifacts whose primitive is not known.
Result<std::vector<std::string>> archivedPrimitives(const Archive& archive);
// Outcomes of each build that has any, the earlier ones too.
Result<std::map<std::string, int64_t>> outcomesByBuild(const Archive& archive);
Result<int64_t> outcomesOfRun(const Archive& archive, const std::string& run);

struct ArchiveCounts {
  int64_t artifacts = 0, withoutGolden = 0, withoutPrimitive = 0;
  int64_t contents = 0, contentBytes = 0, storedBytes = 0;
  int64_t removed = 0;  // Contents that retention removed and outcomes still name.
  std::map<OutcomeKind, int64_t> outcomes;
  int64_t builds = 0;
  int64_t runs = 0, unfinishedRuns = 0;
  int64_t leases = 0, holds = 0, signedLists = 0;
  int64_t indexBytes = 0;  // The database without its WAL.
};
// Walks each table's index once: 100 ms for a million outcomes.
Result<ArchiveCounts> archiveCounts(const Archive& archive);

}  // namespace vintage::archive::store

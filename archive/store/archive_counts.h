// Counts of an archive's contents, and the names that divide its pages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

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

// Outcomes of a build counted and listed by SQLite, for pages that show very many:
// what comes out grows with primitives and producers, not with outcomes.
//
// The latest outcome of each (artifact, golden, build, platform, mode) counts.

enum class TallyBy {
  kPrimitive,  // Each execution once, whatever artifacts share its content.
  kProducer,   // Once for each artifact that it speaks of.
};

struct OutcomeTally {
  std::string name;  // The primitive's (empty where it is not known) or the producer's.
  std::string platform, mode;
  OutcomeKind outcome = OutcomeKind::kPass;
  bool differs = false;  // A pass that differs where it may.
  bool limited = false;  // A declared limitation matched.
  int64_t count = 0;
};
// By name, platform, mode, outcome. Outcomes whose artifacts were removed have no
// name. An unknown build is kNotFound.
Result<std::vector<OutcomeTally>> tallyOutcomes(const Archive& archive, std::string_view build,
                                                TallyBy by);

struct OutcomeListing {
  std::string build;
  TallyBy by = TallyBy::kPrimitive;
  std::string name{};              // As tallyOutcomes() returns it.
  std::string platform{}, mode{};  // Empty: all.
  int64_t after = 0;               // So many are passed over.
  int64_t most = 100;
  size_t detailBytes = 400;  // So much of each detail.
};
struct ListedOutcome {
  std::string name, producer;  // An artifact's that it speaks of.
  Date buildDate{};
  OutcomeRecord outcome;
};
struct OutcomeList {
  int64_t total = 0;
  std::vector<ListedOutcome> outcomes;
};
// Failures come first, undeclared ones before the others; then by name.
Result<OutcomeList> listOutcomes(const Archive& archive, const OutcomeListing& listing);

}  // namespace vintage::archive

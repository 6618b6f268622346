// Outcomes of a build counted and listed by SQLite, for pages that show very many:
// what comes out grows with primitives and producers, not with outcomes.
//
// The latest outcome of each (artifact, golden, build, platform, mode) counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

enum class TallyBy {
  kPrimitive,  // Each execution once, whatever artifacts share its content.
  kProducer,   // Once for each artifact that it speaks of.
};

struct OutcomeTally {
  std::string name;  // The primitive's (empty where it is not known) or the producer's.
  std::string platform, mode;
  OutcomeKind outcome = OutcomeKind::kPass;
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
  std::string name{};              // What tallyOutcomes() calls it.
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
// Those that are no success come first, undeclared ones before them; then by name.
Result<OutcomeList> listOutcomes(const Archive& archive, const OutcomeListing& listing);

}  // namespace vintage::archive::store

// Proposes limitations of real consumers from recorded outcomes: one for failures of the same kind,
// with its evidence; and finds declared ones that are not needed.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/date.h"
#include "harness/judge/tables/consumer_table.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {

struct ProposalChoice {
  Date today{};
  int expiresAfterDays = 180;  // A person then checks the declaration again.
};

// A declared limitation that could go, or could be narrower.
struct NeedlessLimitation {
  std::string id, why;
  // Artifacts in a mode that it covers, recorded on its builds; of a class of speed, functions.
  int64_t passing = 0, failing = 0;
};

struct Proposals {
  std::vector<archive::Limitation> declare;
  std::vector<NeedlessLimitation> needless;
  int64_t failing = 0;       // Artifacts in a column that fail undeclared.
  int64_t unclassified = 0;  // Those among them without a class; no declaration covers these.
};

// A declaration covers no artifact that passes. It is of a primitive on a consumer, limited to the
// modes, dtypes and variants that only fail, or, where these do not separate, to the artifacts by
// name. Where a consumer reads nothing of a producer, it is of that producer.
Proposals proposeLimitations(const ConsumerTable& table,
                             std::span<const archive::Limitation> declared,
                             const ProposalChoice& choice);

// `declared`, without those that are not needed, and what is proposed.
std::vector<archive::Limitation> asProposed(std::span<const archive::Limitation> declared,
                                            const Proposals& proposals);

std::vector<NeedlessLimitation> needlessAmong(std::span<const archive::Limitation> declared,
                                              const ConsumerTable& table, Date today);
// Those that are declared for the archive and that its latest outcomes do not need; none where
// nothing was recorded of the builds that they name.
Result<std::vector<NeedlessLimitation>> needlessLimitations(const archive::Archive& archive,
                                                            Date today);

// "unnecessary tf-eig: all that it covers passes (4 pass, 0 fail)"
std::string needlessText(const NeedlessLimitation& limitation);
std::string proposalsText(const Proposals& proposals);
nlohmann::ordered_json proposalsJson(const Proposals& proposals);

}  // namespace vintage::harness

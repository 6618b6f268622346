// Whether "would it load?" says what really happened, over all outcomes of an archive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/runtimes/builds/would_load.h"

namespace vintage::harness {

// A build that ran what the facts say it cannot load, or refused what they say it loads.
struct LoadDisagreement {
  std::string build, artifact, producer;  // The first outcome's.
  LoadAnswer answer;
  archive::OutcomeRecord outcome;  // The first one's.
  int64_t outcomes = 0;            // On this build, with the same answer.
};

struct LoadAgreement {
  // An artifact is refused that ends with an error before it runs, and loaded that runs.
  struct Row {
    int64_t loaded = 0, refused = 0;
  };
  std::array<Row, 3> rows{};  // By WouldLoad.
  // They do not say whether it loaded: crashes, timeouts, runner errors, emulation.
  int64_t sayNothing = 0;
  int64_t declared = 0;  // Refused, as a limitation declares; not in the rows.
  // Disagreements whose cause is known and lies in no fact of the build, by that cause.
  std::map<std::string, int64_t> explained;
  std::vector<LoadDisagreement> disagreements;  // By build.

  const Row& row(WouldLoad answer) const { return rows[static_cast<size_t>(answer)]; }
  int64_t outcomes() const;  // In the rows.
};

// The latest outcome of each pair counts. Builds that are known by their facts only have none.
Result<LoadAgreement> compareLoading(const archive::Archive& archive);

nlohmann::json toJson(const LoadAgreement& agreement);
std::string agreementText(const LoadAgreement& agreement, size_t longest = 20);

}  // namespace vintage::harness

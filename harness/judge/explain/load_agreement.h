// Compares "would it load?" with all outcomes of an archive.
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

// A build that ran an artifact although its facts exclude it, or refused one although they admit
// it.
struct LoadDisagreement {
  std::string build, artifact, producer;  // The first outcome's.
  LoadAnswer answer;
  archive::OutcomeRecord outcome;  // The first one's.
  int64_t outcomes = 0;            // On this build, with the same answer.
};

struct LoadAgreement {
  // Refused: the artifact ended with an error before it ran. Loaded: it ran.
  struct Row {
    int64_t loaded = 0, refused = 0;
  };
  std::array<Row, 3> rows{};  // By WouldLoad.
  // Outcomes that do not show whether it loaded: crashes, timeouts, runner errors, emulation.
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

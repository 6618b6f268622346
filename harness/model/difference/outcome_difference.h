// Compares an artifact's outputs on a build with those on another, or with its golden.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/model/difference/array_difference.h"
#include "harness/model/execute.h"

namespace vintage::harness {

struct ComparedOutcome {
  std::string build;                                           // Or "the golden".
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;  // Compared with the golden.
  std::string detail;                                          // Empty on a pass.
  bool gaveOutputs = false;
  std::vector<golden::Tensor> outputs;
};

struct OutcomeDifference {
  ComparedOutcome first, second;
  std::vector<ArrayDifference> arrays;  // Where both gave outputs.
  bool same() const { return first.gaveOutputs && second.gaveOutputs && arrays.empty(); }
};

// Runs it on one or two builds; the outputs of one are compared with the golden. Records nothing.
Result<OutcomeDifference> compareOutcomes(const archive::Archive& archive,
                                          const archive::ArtifactRecord& record,
                                          std::span<const std::string> builds,
                                          const Execution& execution, ProcessHost& host);

std::string textOf(const OutcomeDifference& difference);
nlohmann::json toJson(const OutcomeDifference& difference);

}  // namespace vintage::harness

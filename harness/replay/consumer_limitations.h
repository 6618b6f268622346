// Declared limitations of real consumers: of builds, in a file of the archive
// (ARCHIVE/limitations.json; docs/verdicts.md). `vintage limitations --propose` makes them from
// recorded outcomes. Each names at least one build and one class of failures, and does not cover
// failures of another class. Limitations of the catalogue are in primitives/limitations.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/limitation.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

// Parses the file's list; kBadInput names the place of the error.
Result<std::vector<archive::Limitation>> parseConsumerLimitations(std::string_view text,
                                                                  std::string_view name);
nlohmann::ordered_json toJson(std::span<const archive::Limitation> limitations);

// Those of an archive; none where it has no such file.
Result<std::vector<archive::Limitation>> consumerLimitations(const archive::Archive& archive);
// Replaces the archive's list.
Status declareLimitations(const archive::Archive& archive,
                          std::span<const archive::Limitation> limitations);

}  // namespace vintage::harness

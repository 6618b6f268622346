// What is declared that a real consumer cannot do: limitations of builds, in a file of the archive
// (ARCHIVE/limitations.json; docs/verdicts.md). `vintage limitations --propose` makes them of what
// was recorded. Each names at least one build, and one class of failures: a failure of another
// class is none that was declared. What the catalogue cannot do stands in primitives/limitations.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/limitation.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

// A list in its file's form; kBadInput names the place of what is wrong.
Result<std::vector<archive::Limitation>> parseConsumerLimitations(std::string_view text,
                                                                  std::string_view name);
nlohmann::ordered_json toJson(std::span<const archive::Limitation> limitations);

// Those that are declared for an archive; none where it has no such file.
Result<std::vector<archive::Limitation>> consumerLimitations(const archive::Archive& archive);
// In the place of those that were declared before.
Status declareLimitations(const archive::Archive& archive,
                          std::span<const archive::Limitation> limitations);

}  // namespace vintage::harness

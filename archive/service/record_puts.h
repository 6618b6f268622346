// Records that are kept or refused each on its own, in as few transactions as
// that allows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "archive/archive.h"
#include "archive/service/problem.h"

namespace vintage::service {

std::optional<Problem> problemOfStatus(const Status& status);

// One entry for each record: why it was refused. Content that is not kept is
// `missing_content` and listed. What is wrong with the archive itself (a full disk, a lock)
// refuses the rest without trying each.
std::vector<std::optional<Problem>> registerEach(Archive& archive,
                                                 std::span<const ArtifactRecord> records);

}  // namespace vintage::service

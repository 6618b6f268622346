// Between which commits a search goes on that began over builds.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "harness/bisect/room.h"
#include "harness/bisect/search.h"
#include "harness/bisect/sequence.h"

namespace vintage::harness::bisect {

struct CommitRange {
  std::optional<std::string> good;  // Empty: from the first commit on.
  std::string bad;
};

// From what `ends` name, or, where builds were searched, from the commits of the
// builds on both sides of the candidates of `found`: those that they were
// registered with, else the last ones before their day and before its end.
Result<CommitRange> commitRange(const SequenceChoice& ends, const std::string& repository,
                                std::span<const BuildRecord> builds,
                                const SearchConclusion* found);

}  // namespace vintage::harness::bisect

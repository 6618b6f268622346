// What one cell of a report says: an outcome joined with what was declared.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "archive/store/records.h"
#include "golden/base/date.h"
#include "harness/verdict/room.h"

namespace vintage::harness::verdict {

enum class Cell {
  kPass,
  kExpectedFailure,  // It failed, and a limitation says that it does.
  kUnexpectedPass,   // It passed although a limitation says that it fails: delete the limitation.
  kFail,
  kUntested,         // Nothing was recorded.
  kStale,            // Something was recorded, by an earlier run than the one reported.
  kRunnerError,      // The consumer broke, and nothing is known of the artifact.
  kFlaky,            // Its outcomes on one build changed back and forth.
  kCompiled,         // A compiler took it, and nothing ran.
};
inline constexpr int kCellCount = static_cast<int>(Cell::kCompiled) + 1;
std::string_view cellName(Cell cell);  // "pass", "expected failure", …

// `limitation` is whether a declared one covers what was run.
Cell judge(OutcomeKind outcome, bool limitation);

// Whether `limitation` covers this use on `day`. Empty lists cover everything;
// of `dtypes` one has to be covered (an artifact's list holds every dtype that
// takes part). dtypes may be named as StableHLO or JAX name them, or as a set
// of harness/verdict/dtype_sets.h. An empty `platform`, `mode` or `variant` is covered.
bool covers(const RecordedLimitation& limitation, std::string_view primitive,
            std::span<const std::string> dtypes, std::string_view platform,
            std::string_view mode, std::string_view variant, Date day);

}  // namespace vintage::harness::verdict

// How long the texts of a record may be. Whoever may push fills the index with
// them, and every reader of a list gets them.
#pragma once

#include "archive/records.h"
#include "golden/result.h"

namespace vintage {

inline constexpr size_t kLongestRecordText = 4096;       // Bytes.
inline constexpr size_t kLongestRecordList = 64 * 1024;  // Bytes of all its texts together.

// kUsage names the field.
Status checkLimits(const ArtifactRecord& record);

}  // namespace vintage

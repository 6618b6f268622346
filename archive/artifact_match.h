// ArtifactFilter as Archive applies it, for whoever has records and no index.
#pragma once

#include "archive/records.h"

namespace vintage {

bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record);

// Whether `kept` says all that `put` says, so that putting it would change nothing.
bool covers(const ArtifactRecord& kept, const ArtifactRecord& put);

}  // namespace vintage

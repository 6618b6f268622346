// ArtifactFilter as Archive applies it, for records without an index.
#pragma once

#include <string>

#include "archive/store/records.h"
#include "archive/store/room.h"

namespace vintage::archive::store {

bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record);

// Whether `kept` says all that `put` says, so that putting it would change nothing.
bool covers(const ArtifactRecord& kept, const ArtifactRecord& put);

// What two records of one name and producer disagree on, as "its primitive is 'add'
// there and 'mul' here"; empty where each only says what the other does not know.
std::string contradiction(const ArtifactRecord& kept, const ArtifactRecord& put);

}  // namespace vintage::archive::store

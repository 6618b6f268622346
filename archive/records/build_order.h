// The one order of builds, in lists, searches and windows.
#pragma once

#include "archive/records/records.h"
#include "archive/records/runtime_description.h"

namespace vintage::archive {

// From the oldest on: by the day that counts. Builds of one day and product stand by the moment of
// their commit, where it is known, then by their versions as those of packages are ordered: 0.9.2
// before 0.12. The name decides last.
bool isOlder(const BuildRecord& one, const BuildRecord& other);
bool isOlder(const RuntimeDescription& one, const RuntimeDescription& other);

}  // namespace vintage::archive

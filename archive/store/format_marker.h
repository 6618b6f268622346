// The file that says that a folder is an archive, and of which format.
//
// It is written last when an archive is created, so that a folder with a marker
// is a whole archive. It is looked at before anything else is opened.
#pragma once

#include <string>

#include "archive/store/room.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

inline constexpr const char* kMarkerName = "VINTAGE_ARCHIVE";

// The format's version. kNotFound where the folder is missing, kBadInput where
// it has no marker or one that cannot be read.
Result<int> readMarker(FileSystem& files, const std::string& folder);

// Durable when it returns. `unique` distinguishes the temporary files of processes.
Status writeMarker(FileSystem& files, const std::string& folder, int version,
                   const std::string& unique);

}  // namespace vintage::archive::store

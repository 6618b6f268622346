// Opening and creating an archive's index: which files, in which order.
#pragma once

#include <memory>
#include <string>

#include "archive/store/archive.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive {

class Database;

// The file that says that a folder is an archive, and of which format.
//
// It is written last when an archive is created, so that a folder with a marker
// is a whole archive. It is looked at before anything else is opened.
inline constexpr const char* kMarkerName = "VINTAGE_ARCHIVE";

// The format's version. kNotFound where the folder is missing, kBadInput where
// it has no marker or one that cannot be read.
Result<int> readMarker(FileSystem& files, const std::string& folder);

// Durable when it returns. `unique` distinguishes the temporary files of processes.
Status writeMarker(FileSystem& files, const std::string& folder, int version,
                   const std::string& unique);

inline constexpr const char* kIndexName = "index.sqlite";

// The format that the index itself says. Errors as of checkIndexIdentity.
Result<int> indexVersion(const std::string& folder, const ArchiveEnvironment& environment);

// See Archive::open. An index in WAL mode, checked, migrated, ready.
Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment);

}  // namespace vintage::archive

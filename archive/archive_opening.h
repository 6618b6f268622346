// Opening and creating an archive's index: which files, in which order.
#pragma once

#include <memory>
#include <string>

#include "archive/archive.h"
#include "archive/database.h"
#include "archive/file_system.h"
#include "golden/result.h"

namespace vintage {

inline constexpr const char* kIndexName = "index.sqlite";

// See Archive::open. An index in WAL mode, checked, migrated, ready.
Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment);

}  // namespace vintage

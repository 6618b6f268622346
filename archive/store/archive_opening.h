// Opening and creating an archive's index: which files, in which order.
#pragma once

#include <memory>
#include <string>

#include "archive/store/archive.h"
#include "archive/store/database.h"
#include "archive/store/room.h"
#include "golden/base/file_system.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

inline constexpr const char* kIndexName = "index.sqlite";

// See Archive::open. An index in WAL mode, checked, migrated, ready.
Result<std::unique_ptr<Database>> openIndex(FileSystem& files, const std::string& folder,
                                            Archive::Mode mode,
                                            const ArchiveEnvironment& environment);

}  // namespace vintage::archive::store

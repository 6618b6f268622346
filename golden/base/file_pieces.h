// Files that are written in pieces, for what is too large to hold.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "golden/base/file_system.h"
#include "golden/base/result.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

// As the functions of these names for bytes (golden/base/file_system.h and file.h), of what
// `write` appends.
using WriteFile = std::function<Status(WritableFile&)>;
Status writeWhole(FileSystem& files, const std::string& temporary, const std::string& path,
                  const WriteFile& write);
Status writeFile(const std::filesystem::path& path, const WriteFile& write);

}  // namespace vintage::golden::base

// The running program and those that are installed with it.
#pragma once

#include <filesystem>
#include <string_view>

#include "golden/base/result.h"
#include "golden/base/room.h"

namespace vintage::golden::base {

// kIo names where it is missing.
Result<std::filesystem::path> programBeside(std::string_view name);

}  // namespace vintage::golden::base

// Reading an Exported of which nothing else is needed afterwards.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "golden/exported/exported.h"
#include "golden/exported/room.h"

namespace vintage::golden::exported {

// As readExported(). Modules move out of `bytes`, piece by piece, so that they are in memory
// once; what `bytes` held is lost.
Result<Exported> readExportedInPlace(std::span<std::byte> bytes, std::string_view name);

}  // namespace vintage::golden::exported

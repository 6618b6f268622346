// An archive's folder as a place.
#pragma once

#include <memory>

#include "archive/archive.h"
#include "archive/transfer/open_place.h"

namespace vintage {

Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use);

}  // namespace vintage

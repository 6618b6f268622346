// An archive's folder as a place.
#pragma once

#include <memory>

#include "archive/store/archive.h"
#include "archive/transfer/open_place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

Result<std::unique_ptr<Place>> openFolderPlace(const std::string& folder, PlaceUse use);

}  // namespace vintage::archive::transfer

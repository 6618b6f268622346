// An archive's service as a place.
#pragma once

#include <memory>

#include "archive/transfer/open_place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

Result<std::unique_ptr<Place>> openServicePlace(const std::string& location, PlaceUse use,
                                                const PlaceOptions& options);

}  // namespace vintage::archive::transfer

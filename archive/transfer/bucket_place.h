// A bucket as a place. The layout of its objects is in docs/mirroring.md.
#pragma once

#include <memory>

#include "archive/transfer/open_place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

Result<std::unique_ptr<Place>> openBucketPlace(const std::string& location, PlaceUse use,
                                               const PlaceOptions& options);

}  // namespace vintage::archive::transfer

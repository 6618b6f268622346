// An archive's service as a place.
#pragma once

#include <memory>

#include "archive/transfer/open_place.h"

namespace vintage {

Result<std::unique_ptr<Place>> openServicePlace(const std::string& location, PlaceUse use,
                                                const PlaceOptions& options);

}  // namespace vintage

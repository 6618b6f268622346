// The steps of the schema, each in SQL; archive/store/schema.h applies them.
#pragma once

#include <string_view>

#include "archive/store/room.h"

namespace vintage::archive::store {

// archive/store/schema_until_9.cpp
extern const std::string_view kVersion1, kVersion2, kVersion3, kVersion4, kVersion5, kVersion6,
    kVersion7, kVersion8, kVersion9;
// archive/store/schema_values_once.cpp
extern const std::string_view kVersion10, kVersion11, kVersion12, kVersion13;

}  // namespace vintage::archive::store

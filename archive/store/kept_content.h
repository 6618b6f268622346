// What the index says about a content, without reading it.
#pragma once

#include <cstdint>
#include <optional>

#include "archive/store/archive.h"
#include "archive/store/room.h"

namespace vintage::archive::store {

struct KeptContent {
  uint64_t bytes = 0;
  bool ofArtifact = false, ofGolden = false;  // Whether a record names it as such.
};
// None where it is not kept; kUsage where `id` is not one.
Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id);

}  // namespace vintage::archive::store

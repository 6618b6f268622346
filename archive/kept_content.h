// What the index tells of a content, without reading it.
#pragma once

#include <cstdint>
#include <optional>

#include "archive/archive.h"

namespace vintage {

struct KeptContent {
  uint64_t bytes = 0;
  bool ofArtifact = false, ofGolden = false;  // Whether a record names it as such.
};
// None where it is not kept; kUsage where `id` is not one.
Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id);

}  // namespace vintage

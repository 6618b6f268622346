// What the service asks of an archive beyond Archive's own face.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "archive/archive.h"

namespace vintage::service {

struct KeptContent {
  uint64_t bytes = 0;
  bool ofArtifact = false, ofGolden = false;  // Whether a record names it as such.
};
// Without reading the content. None where it is not kept; kUsage where `id` is not one.
Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id);

// As Archive::putContent for many: one sync, all of them or none.
Status putContents(Archive& archive, std::string_view lease,
                   std::span<const std::span<const std::byte>> contents);

}  // namespace vintage::service

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
inline constexpr uint64_t kLargestBlob = uint64_t{1} << 34;  // Bytes of one content.
// Below blobs/, for files that are being written.
inline constexpr const char* kIncomingFolder = "incoming";

// Who names the file of a content, at one moment.
enum class FileUse { kNone, kLeased, kRow };
// None where it is not kept; kUsage where `id` is not one.
Result<std::optional<KeptContent>> lookAt(const Archive& archive, const ContentId& id);

// How many bytes it has; none where it is not kept.
Result<std::optional<uint64_t>> keptBytes(const Archive& archive, const ContentId& id);

}  // namespace vintage::archive::store

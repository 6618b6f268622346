// The kernel in a custom call of the target tpu_custom_call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/base/result.h"

namespace vintage::golden {

// The newest version of serialized Mosaic kernels that this build knows.
inline constexpr int64_t kNewestMosaicVersion = 15;

// The bytes of a Mosaic kernel: custom_call_config.body of a JSON object, in padded base64.
Result<std::vector<std::byte>> mosaicPayload(std::string_view backendConfig);

}  // namespace vintage::golden

// Which serialization version can hold an Exported; parts of writing one.
#pragma once

#include <cstdint>
#include <string_view>

#include "golden/base/result.h"
#include "golden/exported/exported.h"
#include "golden/exported/room.h"

namespace vintage::golden::exported {

// Names what cannot be held at `version`, and the lowest or highest version
// that can hold it.
Status checkHolds(const Exported& exported, uint16_t version);

// "cpu", "tpu" or "gpu" where the device kind implies it; empty otherwise.
std::string_view platformOfDeviceKind(std::string_view deviceKind);

}  // namespace vintage::golden::exported

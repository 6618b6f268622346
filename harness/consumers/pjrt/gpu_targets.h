// Descriptions of GPUs that a compiler compiles for without having one: XLA's
// GpuTargetConfigProto as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "harness/consumers/pjrt/room.h"

namespace vintage::harness::consumers::pjrt {

std::vector<std::string_view> knownGpuTargets();  // "a100", "h100"

// That of a known GPU, by its name, or else the text of a file. kUsage names the known ones.
Result<std::string> gpuTarget(const std::string& nameOrFile);

}  // namespace vintage::harness::consumers::pjrt

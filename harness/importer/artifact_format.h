// Which of the formats an artifact has, by its bytes alone.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::harness {

// By their first bytes; kBadInput where they are none of them.
Result<archive::ArtifactRecord::Format> recognizeFormat(std::span<const std::byte> bytes,
                                                        std::string_view name);

// Whether they begin as MLIR's bytecode does, which portable artifacts are.
bool isBytecode(std::span<const std::byte> bytes);

}  // namespace vintage::harness

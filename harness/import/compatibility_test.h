// A folder of JAX's backward-compatibility test data: meta.json, module.mlirbc
// or exported.bin, and the arrays input_N.npy and expected_N.npy.
#pragma once

#include <filesystem>

#include "archive/archive.h"
#include "golden/result.h"

namespace vintage {

Result<Archive::Put> readCompatibilityTest(const std::filesystem::path& folder);

}  // namespace vintage

// A folder of JAX's backward-compatibility test data: meta.json, module.mlirbc
// or exported.bin, and the arrays input_N.npy and expected_N.npy.
#pragma once

#include <filesystem>

#include "golden/base/result.h"
#include "harness/importer/import_entry.h"
#include "harness/importer/room.h"

namespace vintage::harness::importer {

Result<OpenedEntry> openCompatibilityTest(const std::filesystem::path& folder);

}  // namespace vintage::harness::importer

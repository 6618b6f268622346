// A folder of JAX's backward-compatibility test data, or of a producer here: meta.json,
// module.mlirbc, exported.bin or saved_model.tar, and the arrays input_N.npy and expected_N.npy.
#pragma once

#include <filesystem>

#include "golden/base/result.h"
#include "harness/importer/import_entry.h"
#include "harness/importer/room.h"

namespace vintage::harness::importer {

Result<OpenedEntry> openCompatibilityTest(const std::filesystem::path& folder);

}  // namespace vintage::harness::importer

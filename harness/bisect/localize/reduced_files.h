// A localization as files and as JSON.
#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "harness/bisect/localize/localize.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

nlohmann::json toJson(const Localization& localization);

// Writes the reduced program into `folder` as a compatibility test, which
// `vintage import` takes: meta.json, module.mlirbc, module.mlir.txt, inputs and
// expected outputs as NumPy files.
Status writeReduced(const Localization& localization, const Subject& subject,
                    const std::filesystem::path& folder);

// The files of such a folder as JSON, for a record that travels without it, and
// back. Names that are no plain file names are refused.
Result<nlohmann::json> reducedFilesJson(const std::filesystem::path& folder);
Status writeReducedFiles(const nlohmann::json& files, const std::filesystem::path& folder);

}  // namespace vintage::harness::bisect

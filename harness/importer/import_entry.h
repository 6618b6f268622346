// An artifact to import, between the reading of its files and that of its program: programs
// are read in other processes, many at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/importer/inspect.h"

namespace vintage::harness {

struct ReadEntry {
  archive::Archive::Put put;
  std::string oracleSays;  // Of recorded outputs that it does not confirm; empty: nothing.
};

struct OpenedEntry {
  std::string name;  // The artifact's file, for messages.
  std::vector<std::byte> bytes;
  std::optional<InspectOptions> inspect;  // None: a SavedModel, which nobody here reads.
  // All but the bytes, from what the program says; an empty inspection where none is asked for.
  std::function<Result<ReadEntry>(Inspection)> finish;
};

// A folder of JAX's backward-compatibility test data, or of a producer here: meta.json,
// module.mlirbc, exported.bin or saved_model.tar, and the arrays input_N.npy and expected_N.npy.
Result<OpenedEntry> openCompatibilityTest(const std::filesystem::path& folder);

}  // namespace vintage::harness

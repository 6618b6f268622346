// Imports artifacts of others into an archive: the folders of JAX's compatibility tests, serialized
// Exported files, portable artifacts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/importer/inspect.h"
#include "harness/importer/measure_noise.h"

namespace vintage::harness {

struct ImportOptions {
  // For single files; a compatibility-test folder holds both itself.
  std::optional<Date> buildDate;
  std::optional<std::string> producer;
  std::vector<std::string> platforms{"cpu"};  // For a single portable artifact.
  NoiseOptions noise;
};

// StableHLO text is no artifact: an error that names the command which writes one.
Status refuseText(const Inspection& inspection, const std::string& file);
// "jax 0.6.0" where the artifact says so, else "jax" and the day of its build.
std::string producerOf(const Inspection& inspection, Date buildDate);

// Where one artifact lies: a folder with meta.json, or a file.
struct ImportEntry {
  std::filesystem::path path;
  bool isFolder = false;
};
// A folder with meta.json is one entry; other folders are searched. Sorted.
// A path without any entry is an error.
Result<std::vector<ImportEntry>> findImportEntries(std::span<const std::string> paths);

struct ReadEntry {
  archive::Archive::Put put;
  std::string oracleSays;  // Where the oracle differs from recorded outputs; empty: nowhere.
};

// An entry whose files are read and whose program is not: other processes read programs, many at a
// time.
struct OpenedEntry {
  std::string name;  // The artifact's file, for messages.
  std::vector<std::byte> bytes;
  std::optional<InspectOptions> inspect;  // None: a SavedModel, which only TensorFlow reads.
  // All but the bytes, from what the program says; an empty inspection where none is asked for.
  std::function<Result<ReadEntry>(Inspection)> finish;
};

// A folder of JAX's backward-compatibility test data, or of a producer here: meta.json,
// module.mlirbc, exported.bin or saved_model.tar, and the arrays input_N.npy (where no seed in
// meta.json gives them) and expected_N.npy.
Result<OpenedEntry> openCompatibilityTest(const std::filesystem::path& folder);

// Reads each entry completely, by one process for each processor; nothing is written.
std::vector<Result<ReadEntry>> readImportEntries(std::span<const ImportEntry> entries,
                                                 const ImportOptions& options);

struct ImportReport {
  struct Line {
    std::string path;
    archive::ArtifactRecord record;
    bool isNew = false;
    bool hasGolden = false;
    std::string oracleSays;   // Where the oracle differs from recorded outputs; empty: nowhere.
    std::string notMeasured;  // Why it is unknown how far the outputs scatter by rounding.
    std::string inDoubt;      // As golden::doubtOf().
  };
  std::vector<Line> taken;
  std::vector<Error> refused;  // Each names its file.
};
// Archives every entry that can be read, all at once, with its noise measured, and reports the
// others. Importing the same again changes nothing.
Result<ImportReport> importPaths(std::span<const std::string> paths, const ImportOptions& options,
                                 archive::Archive& archive);

}  // namespace vintage::harness

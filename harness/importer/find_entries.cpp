#include <algorithm>
#include <set>

#include "golden/base/failures.h"
#include "harness/importer/import.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> kArtifactSuffixes{".bin", ".exported", ".jax", ".mlir", ".mlirbc",
                                              ".bc"};

Status search(const fs::path& folder, std::vector<ImportEntry>& entries) {
  std::error_code problem;
  if (fs::exists(folder / "meta.json", problem)) {
    entries.push_back({folder, true});
    return {};
  }
  std::vector<fs::path> inside;
  for (fs::directory_iterator place(folder, problem), end; !problem && place != end;
       place.increment(problem))
    inside.push_back(place->path());
  if (problem) return ioError("{}: cannot read the folder: {}", folder.string(), problem.message());
  std::sort(inside.begin(), inside.end());
  for (const fs::path& path : inside) {
    // Links to folders are not followed: they could lead in a circle.
    if (fs::is_directory(fs::symlink_status(path, problem))) {
      RETURN_IF_ERROR(search(path, entries));
    } else if (fs::is_regular_file(path, problem) &&
               kArtifactSuffixes.contains(path.extension().string())) {
      entries.push_back({path, false});
    }
  }
  return {};
}

}  // namespace

Result<std::vector<ImportEntry>> findImportEntries(std::span<const std::string> paths) {
  std::vector<ImportEntry> entries;
  for (const std::string& text : paths) {
    const fs::path path = fs::path(text).lexically_normal();
    std::error_code problem;
    const size_t before = entries.size();
    if (!fs::exists(path, problem)) return notFound("{}: no such file or folder", text);
    if (fs::is_directory(path, problem)) {
      RETURN_IF_ERROR(search(path, entries));
    } else {
      entries.push_back({path, false});
    }
    if (entries.size() == before)
      return usageError(
          "{}: the folder holds nothing to import; folders with a meta.json, and files named "
          "*.bin, *.exported, *.jax, *.mlir, *.mlirbc or *.bc are taken",
          text);
  }
  return entries;
}

}  // namespace vintage::harness

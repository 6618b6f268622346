#include "harness/runtime/described_folder.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness::runtime {

namespace fs = std::filesystem;

Result<std::vector<RuntimeDescription>> readDescriptions(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder, problem))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  if (problem)
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: this folder cannot be read: {}", folder, problem.message()));
  if (paths.empty())
    return failure(Error::Kind::kNotFound,
                   fmt::format("{}: no description lies there; 'vintage builds describe BUILD "
                               "--emitted --format json' prints one, a file NAME.json each",
                               folder));
  std::ranges::sort(paths);
  std::vector<RuntimeDescription> descriptions;
  std::map<std::string, std::string> places;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto description, readRuntimeDescription(path));
    const auto [known, isNew] = places.emplace(description.name, path);
    if (!isNew)
      return badInput("{} and {} both describe {}; keep one of them", known->second, path,
                      description.name);
    descriptions.push_back(std::move(description));
  }
  return descriptions;
}

}  // namespace vintage::harness::runtime

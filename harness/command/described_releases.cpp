#include "harness/command/described_releases.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/environments.h"

namespace vintage::harness {
using namespace archive;

namespace {

constexpr std::string_view kTo = "..", kPython = "python:";

// 0.12.0.1 begins with 0.12.
bool beginsWith(const std::string& version, const std::string& end) {
  return version == end || version.starts_with(end + ".");
}

// Whether a version lies in FROM..TO.
Result<std::function<bool(const std::string& version)>> parseSpan(const std::string& text) {
  const size_t dots = text.find(kTo);
  if (dots == text.npos)
    return usageError("--releases {}: give FROM..TO, such as 0.4.30..0.12", text);
  const std::string from = text.substr(0, dots), to = text.substr(dots + kTo.size());
  ASSIGN_OR_RETURN(const auto oldest, parsePackageVersion(from));
  ASSIGN_OR_RETURN(const auto newest, parsePackageVersion(to));
  return [=](const std::string& version) {
    const auto parsed = parsePackageVersion(version);
    return parsed && ((oldest <= *parsed && *parsed <= newest) || beginsWith(version, from) ||
                      beginsWith(version, to));
  };
}

// Its *.json, in the order of their names. kNotFound where there are none; two files that
// describe one runtime are kBadInput.
Result<std::vector<RuntimeDescription>> readDescriptions(const std::string& folder) {
  std::error_code problem;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem))
    if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
  if (problem) return notFound("{}: this folder cannot be read: {}", folder, problem.message());
  if (paths.empty())
    return notFound(
        "{}: no description lies there; 'vintage builds describe BUILD --emitted --format json' "
        "prints one, a file NAME.json each",
        folder);
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

}  // namespace

Result<std::map<std::string, std::vector<std::string>>> registeredRuntimes(const Archive& archive) {
  ASSIGN_OR_RETURN(const auto builds, ownBuilds(archive));
  std::map<std::string, std::vector<std::string>> names;
  for (const BuildRecord& build : builds)
    if (build.details.runtime) names[build.details.runtime->name].push_back(build.name);
  return names;
}

void DescribedReleasesOptions::addTo(CLI::App& app, const char* use) {
  auto* range = app.add_option(
      "--releases", range_,
      fmt::format("FROM..TO: the archive's builds of these versions, if their facts are known; {}",
                  use));
  app.add_option("--facts", folder_,
                 fmt::format("A folder of descriptions of releases (JSON); {}", use))
      ->excludes(range);
}

std::string DescribedReleasesOptions::typed() const {
  return folder_.empty() ? "--releases " + range_ : "--facts " + folder_;
}

Result<std::vector<RuntimeDescription>> DescribedReleasesOptions::read(
    const Archive* archive) const {
  if (!folder_.empty()) {
    ASSIGN_OR_RETURN(auto described, readDescriptions(folder_));
    std::erase_if(described,
                  [](const RuntimeDescription& release) { return !release.emission.known(); });
    return described;
  }
  if (archive == nullptr)
    return usageError(
        "--releases {}: give the --archive that holds these builds; a folder of "
        "descriptions is named by --facts",
        range_);
  std::function<bool(const std::string&)> isInSpan = [](const std::string&) { return true; };
  if (!range_.empty()) {
    ASSIGN_OR_RETURN(isInSpan, parseSpan(range_));
  }
  ASSIGN_OR_RETURN(auto builds, ownBuilds(*archive));
  std::vector<RuntimeDescription> described;
  std::set<std::string> known;
  for (BuildRecord& build : builds) {
    auto& runtime = build.details.runtime;
    if (runtime && runtime->emission.known() && isInSpan(runtime->version) &&
        known.insert(runtime->name).second)
      described.push_back(std::move(*runtime));
  }
  return described;
}

Result<RuntimeDescription> describedRuntime(const std::string& what, const Archive* archive,
                                            Date today, Console& console) {
  if (what.starts_with(kPython)) {
    auto host = makePosixProcessHost();
    const std::string python = what.substr(kPython.size());
    return describePython(python, formatDate(today), *host, progressOn(console));
  }
  if (archive == nullptr || std::filesystem::exists(what)) return readRuntimeDescription(what);
  ASSIGN_OR_RETURN(auto build, findBuild(*archive, what));
  if (!build.details.runtime)
    return unsupported(
        "build '{}' does not describe what it registers, as PJRT plugins do not; write its "
        "description (docs/gate/registry.md), and name that file",
        what);
  return *build.details.runtime;
}

}  // namespace vintage::harness

#include "harness/command/described_releases.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/builds/builds.h"
#include "harness/consumers/jax/description.h"
#include "harness/runtime/described_folder.h"

namespace vintage::harness::command {
namespace {

constexpr std::string_view kTo = "..", kPython = "python:";

// 0.12.0.1 begins with 0.12.
bool beginsWith(const std::string& version, const std::string& end) {
  return version == end || version.starts_with(end + ".");
}

// Whether a version lies in FROM..TO.
class VersionSpan {
 public:
  static Result<VersionSpan> parse(const std::string& text) {
    VersionSpan span;
    const size_t dots = text.find(kTo);
    if (dots == text.npos)
      return usageError("--releases {}: give FROM..TO, such as 0.4.30..0.12", text);
    span.from_ = text.substr(0, dots);
    span.to_ = text.substr(dots + kTo.size());
    ASSIGN_OR_RETURN(span.oldest_, parsePackageVersion(span.from_));
    ASSIGN_OR_RETURN(span.newest_, parsePackageVersion(span.to_));
    return span;
  }
  bool contains(const std::string& version) const {
    const auto parsed = parsePackageVersion(version);
    return parsed && ((oldest_ <= *parsed && *parsed <= newest_) || beginsWith(version, from_) ||
                      beginsWith(version, to_));
  }

 private:
  std::string from_, to_;
  PackageVersion oldest_, newest_;
};

struct DescribedBuild {
  std::string build;
  RuntimeDescription runtime;
};

Result<std::vector<DescribedBuild>> describedBuilds(const Archive& archive) {
  ASSIGN_OR_RETURN(auto builds, archive.builds());
  std::vector<DescribedBuild> described;
  for (const BuildRecord& build : builds) {
    ASSIGN_OR_RETURN(auto runtime, runtimeOf(build));
    if (runtime) described.push_back({build.name, std::move(*runtime)});
  }
  return described;
}

}  // namespace

Result<std::map<std::string, std::vector<std::string>>> registeredRuntimes(const Archive& archive) {
  ASSIGN_OR_RETURN(auto builds, describedBuilds(archive));
  std::map<std::string, std::vector<std::string>> names;
  for (const DescribedBuild& one : builds) names[one.runtime.name].push_back(one.build);
  return names;
}

void DescribedReleasesOptions::addTo(CLI::App& app, const char* use) {
  auto* range = app.add_option(
      "--releases", range_,
      fmt::format("FROM..TO: the builds of the archive of these versions whose facts are known; {}",
                  use));
  app.add_option("--facts", folder_,
                 fmt::format("A folder of descriptions of releases (JSON); {}", use))
      ->excludes(range);
}

std::string DescribedReleasesOptions::typed() const {
  return folder_.empty() ? "--releases " + range_ : "--facts " + folder_;
}

Result<DescribedReleases> DescribedReleasesOptions::read(const Archive* archive) const {
  DescribedReleases described;
  if (archive != nullptr) {
    ASSIGN_OR_RETURN(described.registeredAs, registeredRuntimes(*archive));
  }
  if (!folder_.empty()) {
    ASSIGN_OR_RETURN(described.releases, readDescriptions(folder_));
    std::erase_if(described.releases,
                  [](const RuntimeDescription& release) { return !release.emission.known(); });
    return described;
  }
  if (archive == nullptr)
    return usageError("--releases {}: give the --archive that holds these builds; a folder of "
                      "descriptions is named by --facts",
                      range_);
  ASSIGN_OR_RETURN(auto span, VersionSpan::parse(range_));
  ASSIGN_OR_RETURN(auto builds, describedBuilds(*archive));
  std::set<std::string> known;
  for (DescribedBuild& one : builds)
    if (one.runtime.emission.known() && span.contains(one.runtime.version) &&
        known.insert(one.runtime.name).second)
      described.releases.push_back(std::move(one.runtime));
  return described;
}

Result<RuntimeDescription> describedRuntime(const std::string& what, const Archive* archive,
                                            Date today, Console& console) {
  if (what.starts_with(kPython)) {
    auto host = makePosixProcessHost();
    const std::string python = what.substr(kPython.size());
    ASSIGN_OR_RETURN(auto runtime,
                     describePython(python, formatDate(today), *host, progressOn(console)));
    return parseRuntimeDescription(runtime.dump(), what);
  }
  if (archive == nullptr || std::filesystem::exists(what)) return readRuntimeDescription(what);
  ASSIGN_OR_RETURN(auto build, findBuild(*archive, what));
  ASSIGN_OR_RETURN(auto runtime, runtimeOf(build));
  if (!runtime) return unsupported("build '{}' holds no description of what it registers", what);
  return *runtime;
}

Result<nlohmann::json> askForFacts(const BuildRecord& build, Console& console) {
  auto host = makePosixProcessHost();
  return describeBuild(build, *host, progressOn(console));
}

}  // namespace vintage::harness::command

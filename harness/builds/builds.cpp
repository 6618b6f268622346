#include "harness/builds/builds.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "golden/content_hash.h"
#include "harness/import/file.h"
#include "harness/worker/executor.h"

namespace vintage {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkerName = "vintage-worker";
constexpr size_t kFolderNameCharacters = 16;

fs::path buildsFolder(const std::string& archiveFolder) { return fs::path(archiveFolder) / "builds"; }

// Looks `program` up as a shell would.
bool isExecutable(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t colon = std::min(rest.find(':'), rest.size());
    if (::access((fs::path(rest.substr(0, colon)) / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

}  // namespace

Result<fs::path> findWorkerProgram() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const fs::path beside = self.parent_path() / kWorkerName;
  if (!problem && fs::exists(beside, problem)) return beside;
  return failure(Error::Kind::kIo,
                 fmt::format("{}: the worker program is missing; it is built and installed "
                             "beside {}",
                             beside.string(), self.filename().string()));
}

BuildRecord engineBuild(const fs::path& worker, Date buildDate) {
  BuildRecord build = embeddedEngineBuild(buildDate);
  build.command = {worker.string(), "--build-date", formatDate(buildDate)};
  return build;
}

Result<fs::path> keepWorkerProgram(const fs::path& worker, const std::string& archiveFolder) {
  auto bytes = readFile(worker);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  std::error_code problem;
  const fs::path folder = fs::absolute(buildsFolder(archiveFolder), problem) /
                          contentHash(*bytes).substr(0, kFolderNameCharacters);
  const fs::path kept = folder / kWorkerName;
  if (fs::exists(kept, problem)) return kept;
  fs::create_directories(folder, problem);
  if (problem)
    return failure(Error::Kind::kIo,
                   fmt::format("{}: the folder cannot be made: {}", folder.string(),
                               problem.message()));
  const fs::path partial = folder / "partial";
  if (Status status = writeFile(partial, *bytes); !status)
    return tl::unexpected<Error>(status.error());
  fs::permissions(partial, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec,
                  problem);
  fs::rename(partial, kept, problem);
  if (problem)
    return failure(Error::Kind::kIo, fmt::format("{}: {}", kept.string(), problem.message()));
  return kept;
}

Status dropOldWorkerPrograms(const Archive& archive, Date oldest) {
  auto builds = archive.builds();
  if (!builds) return tl::unexpected<Error>(builds.error());
  std::set<fs::path> wanted;
  for (const BuildRecord& build : *builds)
    if (build.buildDate >= oldest && !build.command.empty())
      wanted.insert(fs::path(build.command.front()).parent_path());
  std::error_code problem;
  const fs::path folder = fs::absolute(buildsFolder(archive.folder()), problem);
  std::vector<fs::path> old;
  for (fs::directory_iterator place(folder, problem), end; !problem && place != end;
       place.increment(problem))
    if (!wanted.contains(place->path()) && fs::exists(place->path() / kWorkerName))
      old.push_back(place->path());
  for (const fs::path& path : old) {
    fs::remove(path / kWorkerName, problem);
    fs::remove(path, problem);
  }
  return {};
}

bool canStart(const BuildRecord& build) {
  return !build.command.empty() && isExecutable(build.command.front());
}

Result<BuildRecord> findBuild(const Archive& archive, const std::string& name) {
  auto builds = archive.builds();
  if (!builds) return tl::unexpected<Error>(builds.error());
  std::string names;
  for (const BuildRecord& build : *builds) {
    if (build.name == name) return build;
    names += (names.empty() ? "" : ", ") + build.name;
  }
  return failure(Error::Kind::kNotFound,
                 fmt::format("no build is registered as '{}'; {}", name,
                             names.empty() ? "none is registered at all" : "there are: " + names));
}

StartableBuilds startableBuilds(std::vector<BuildRecord> builds, const DateRange& window,
                                const BuildRecord& tonight) {
  std::sort(builds.begin(), builds.end(), [](const BuildRecord& a, const BuildRecord& b) {
    return std::tie(b.buildDate, a.name) < std::tie(a.buildDate, b.name);
  });
  StartableBuilds result;
  // A kept engine's program lies under the hash of its content, so its path
  // tells whether it is the same program; its date is only an argument.
  std::set<std::string> programs{tonight.command.empty() ? "" : tonight.command.front()};
  for (BuildRecord& build : builds) {
    if (!window.contains(build.buildDate) || build.kind == "facts") continue;
    if (!canStart(build)) {
      ++result.cannotStart;
      continue;
    }
    if (build.kind == "engine" && !programs.insert(build.command.front()).second) {
      ++result.same;
      continue;
    }
    result.builds.push_back(std::move(build));
  }
  return result;
}

}  // namespace vintage

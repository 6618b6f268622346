#include "harness/builds/builds.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/builds/kept_program.h"
#include "harness/consumers/embedded/executor.h"
#include "harness/consumers/introduction.h"

namespace vintage::harness::builds {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkerName = "vintage-worker";
constexpr size_t kNamesShown = 30;

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

// What the command says that it is, with a copy of its program where one is
// asked for; not registered yet.
Result<BuildRecord> describeCommand(const std::string& archiveFolder,
                                    const RegisterOptions& options, ProcessHost& host) {
  if (options.command.empty())
    return failure(Error::Kind::kUsage, "a worker needs a command that starts it");
  ASSIGN_OR_RETURN(auto introduction, introduce(options.command, host));
  BuildRecord build = std::move(introduction.hello.build);
  BuildDetails details;
  details.runtime = std::move(introduction.runtime);
  details.commit = options.commit;
  details.environment = options.environment;
  details.formats = std::move(introduction.hello.formats);
  details.said = SaidOfItself{build.name, formatDate(build.buildDate)};
  if (options.name) build.name = *options.name;
  if (options.date) build.buildDate = *options.date;
  build.kind = "command";
  build.command = options.command;
  if (options.keep || options.keepLibraries) {
    ASSIGN_OR_RETURN(auto kept, keepProgram(options.command.front(), archiveFolder,
                                            options.keepLibraries, host));
    build.kind = "program";
    build.command.front() = kept.place;
    details.program = std::move(kept.program);
  }
  build.details = writeBuildDetails(details);
  return build;
}

}  // namespace

Result<fs::path> findWorkerProgram() {
  return programBeside(kWorkerName);
}

BuildRecord engineBuild(const fs::path& worker, Date buildDate) {
  BuildRecord build = embeddedEngineBuild(buildDate);
  build.command = {worker.string(), "--build-date", formatDate(buildDate)};
  return build;
}

Result<BuildRecord> registerEngine(Archive& archive, const fs::path& worker, Date buildDate,
                                   ProcessHost& host) {
  RegisterOptions options;
  options.command = {worker.string(), "--build-date", formatDate(buildDate)};
  options.keep = true;
  auto build = describeCommand(archive.folder(), options, host);
  if (!build) return build;
  build->kind = "engine";
  RETURN_IF_ERROR(archive.putBuild(*build));
  build->command = locateCommand(build->command, archive.folder());
  return build;
}

Result<BuildRecord> registerCommand(Archive& archive, const RegisterOptions& options,
                                    ProcessHost& host) {
  auto build = describeCommand(archive.folder(), options, host);
  if (!build) return build;
  RETURN_IF_ERROR(archive.putBuild(*build));
  return build;
}

Status checkGreeting(const BuildRecord& registered, const HelloMessage& hello) {
  ASSIGN_OR_RETURN(auto details, buildDetails(registered));
  const SaidOfItself expected =
      details.said.value_or(SaidOfItself{registered.name, formatDate(registered.buildDate)});
  const SaidOfItself said{hello.build.name, formatDate(hello.build.buildDate)};
  if (said == expected) return {};
  return conflict(
      "{}: it says that it is {} of {}, not {} of {}; register it again under its own name",
      registered.command.empty() ? registered.name : registered.command.front(), said.name,
      said.buildDate, expected.name, expected.buildDate);
}

Status dropOldWorkerPrograms(const Archive& archive, Date oldest) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  std::set<fs::path> wanted;
  for (const BuildRecord& build : builds)
    if ((build.kind != "engine" || build.buildDate >= oldest) && !build.command.empty())
      wanted.insert(fs::path(build.command.front()).parent_path());
  std::error_code problem;
  const fs::path folder = buildsFolder(archive.folder());
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

Result<std::vector<BuildRecord>> registeredBuilds(const Archive& archive) {
  auto builds = archive.builds();
  if (!builds) return builds;
  for (BuildRecord& build : *builds)
    build.command = locateCommand(std::move(build.command), archive.folder());
  return builds;
}

Result<BuildRecord> findBuild(const Archive& archive, const std::string& name) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  std::string names;
  size_t named = 0;
  for (const BuildRecord& build : builds) {
    if (build.name == name) return build;
    if (++named <= kNamesShown) names += (names.empty() ? "" : ", ") + build.name;
  }
  if (named > kNamesShown) names += fmt::format(" and {} more", named - kNamesShown);
  return notFound("no build is registered as '{}'; {}", name,
                  names.empty() ? "none is registered at all" : "there are: " + names);
}

StartableBuilds startableBuilds(std::vector<BuildRecord> builds, const DateRange& window,
                                const BuildRecord& tonight) {
  std::sort(builds.begin(), builds.end(), [](const BuildRecord& a, const BuildRecord& b) {
    return std::tie(b.buildDate, a.name) < std::tie(a.buildDate, b.name);
  });
  StartableBuilds result;
  std::set<std::string> programs{programIdentity(tonight)};
  for (BuildRecord& build : builds) {
    if (!window.contains(build.buildDate) || build.kind == "facts") continue;
    if (!canStart(build)) {
      ++result.cannotStart;
      continue;
    }
    const std::string program = programIdentity(build);
    if (!program.empty() && !programs.insert(program).second) {
      ++result.same;
      continue;
    }
    result.builds.push_back(std::move(build));
  }
  return result;
}

}  // namespace vintage::harness::builds

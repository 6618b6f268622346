#include "harness/runtimes/builds/builds.h"

#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/records.h"
#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/start_commands.h"
#include "harness/runtimes/builds/when_needed.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkerName = "vintage-worker";
constexpr size_t kNamesShown = 30;

// Asks the command for its description, and copies its program where that is asked for. The build
// is neither registered nor bound yet.
Result<BuildRecord> describeCommand(const Archive& archive, const RegisterOptions& options,
                                    ProcessHost& host) {
  if (options.command.empty())
    return failure(Error::Kind::kUsage, "a worker needs a command that starts it");
  ASSIGN_OR_RETURN(auto build, introduce(options.command, host));
  build.details.commit = options.commit;
  build.details.environment = options.environment;
  build.details.said = SaidOfItself{build.name, formatDate(build.buildDate)};
  if (options.name) build.name = *options.name;
  if (options.date) build.buildDate = *options.date;
  build.kind = "command";
  build.start.emplace().worker = options.command;
  build.start->environment = options.place;
  if (options.keep || options.keepLibraries) {
    ASSIGN_OR_RETURN(const auto commands, StartCommands::of(archive));
    ASSIGN_OR_RETURN(const auto place, commands.placeForPrograms());
    ASSIGN_OR_RETURN(auto kept,
                     keepProgram(options.command.front(), place, options.keepLibraries, host));
    build.kind = "program";
    build.details.program = programIdentity(kept.hash, options.command);
    build.start->worker.front() = std::move(kept.path);
    build.start->libraries = std::move(kept.libraries);
  }
  return build;
}

}  // namespace

Result<fs::path> findWorkerProgram() { return programBeside(kWorkerName); }

BuildRecord engineBuild(const fs::path& worker, Date buildDate) {
  BuildRecord build = embeddedEngineBuild(buildDate);
  build.start.emplace().worker = {worker.string(), "--build-date", formatDate(buildDate)};
  return build;
}

Result<BuildRecord> registerEngine(Archive& archive, const fs::path& worker, Date buildDate,
                                   ProcessHost& host) {
  RegisterOptions options;
  options.command = {worker.string(), "--build-date", formatDate(buildDate)};
  options.keep = true;
  ASSIGN_OR_RETURN(auto build, describeCommand(archive, options, host));
  build.kind = "engine";
  RETURN_IF_ERROR(registerBuild(archive, build));
  return build;
}

Result<BuildRecord> registerCommand(Archive& archive, const RegisterOptions& options,
                                    ProcessHost& host) {
  ASSIGN_OR_RETURN(auto build, describeCommand(archive, options, host));
  RETURN_IF_ERROR(registerBuild(archive, build));
  return build;
}

Status registerBuild(Archive& archive, BuildRecord build) {
  // Its worker said before what a recipe does not know.
  if (auto known = findBuild(archive, build.name);
      build.kind == kRecipeKind && known && isOwn(*known) && known->version == build.version) {
    known->start = std::move(build.start);
    build = std::move(*known);
  }
  if (build.start)
    build.details.commandHash =
        contentHash(fmt::format("{}", fmt::join(build.start->worker, "\n")));
  RETURN_IF_ERROR(archive.putBuild(build));
  if (!build.start) return {};
  ASSIGN_OR_RETURN(auto commands, StartCommands::of(archive));
  return commands.bind(build.name, *build.start);
}

bool keepArchivedDay(const Archive& archive, BuildRecord& build) {
  const auto known = findBuild(archive, build.name);
  if (!known || !isOwn(*known) || known->version != build.version ||
      known->buildDate == build.buildDate)
    return false;
  build.buildDate = known->buildDate;
  if (build.details.runtime && known->details.runtime)
    build.details.runtime->released = known->details.runtime->released;
  return true;
}

Result<BuildRecord> bindBuild(const Archive& archive, const std::string& name,
                              const RegisterOptions& options, ProcessHost& host) {
  ASSIGN_OR_RETURN(auto build, findBuild(archive, name));
  ASSIGN_OR_RETURN(auto started, describeCommand(archive, options, host));
  build.start = std::move(started.start);
  RETURN_IF_ERROR(checkGreeting(build, started));
  ASSIGN_OR_RETURN(auto commands, StartCommands::of(archive));
  RETURN_IF_ERROR(commands.bind(build.name, *build.start));
  return build;
}

Status checkGreeting(const BuildRecord& registered, const BuildRecord& answering) {
  const SaidOfItself said{answering.name, formatDate(answering.buildDate)};
  const SaidOfItself expected = registered.details.said.value_or(
      SaidOfItself{registered.name, formatDate(registered.buildDate)});
  if (said == expected) return {};
  return conflict(
      "{}: it says that it is {} of {}, not {} of {}; register it again under its own name",
      registered.start ? registered.start->worker.front() : registered.name, said.name,
      said.buildDate, expected.name, expected.buildDate);
}

Status dropOldWorkerPrograms(const Archive& archive, Date oldest) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  ASSIGN_OR_RETURN(auto commands, StartCommands::of(archive));
  for (const BuildRecord& build : builds)
    if (build.start && build.kind == "engine" && build.buildDate < oldest)
      RETURN_IF_ERROR(commands.forget(build.name));
  std::set<fs::path> wanted;
  for (const auto& [build, command] : commands.all()) {
    wanted.insert(fs::path(command.worker.front()).parent_path());
    for (const StartCommand::Library& library : command.libraries)
      wanted.insert(fs::path(library.file).parent_path());
  }
  std::error_code problem;
  std::vector<fs::path> old;
  for (fs::directory_iterator place(commands.programs(), problem), end; !problem && place != end;
       place.increment(problem))
    if (!wanted.contains(place->path())) old.push_back(place->path());
  for (const fs::path& path : old) fs::remove_all(path, problem);
  return {};
}

bool canStart(const BuildRecord& build) {
  if (!build.start) return false;
  return isEnvironmentThere(*build.start) ? findProgram(build.start->worker.front()).has_value()
                                          : canBeMade(*build.start);
}

Result<std::vector<BuildRecord>> registeredBuilds(const Archive& archive) {
  auto builds = archive.builds();
  if (!builds) return builds;
  ASSIGN_OR_RETURN(const auto commands, StartCommands::of(archive));
  for (BuildRecord& build : *builds)
    if (const StartCommand* start = commands.find(build.name)) build.start = *start;
  return builds;
}

Result<std::vector<BuildRecord>> ownBuilds(const Archive& archive) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  std::erase_if(builds, [](const BuildRecord& build) { return !isOwn(build); });
  return builds;
}

Result<BuildRecord> findBuild(const Archive& archive, const std::string& name) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  const auto found = std::ranges::find(builds, name, &BuildRecord::name);
  if (found != builds.end()) return std::move(*found);
  if (builds.empty())
    return notFound(
        "no build is registered as '{}', nor any other; 'vintage builds add' registers one", name);
  const auto names =
      builds | std::views::transform(&BuildRecord::name) | std::views::take(kNamesShown);
  return notFound(
      "no build is registered as '{}'; there are: {}{}", name, fmt::join(names, ", "),
      builds.size() > kNamesShown ? fmt::format(" and {} more", builds.size() - kNamesShown) : "");
}

StartableBuilds startableBuilds(std::vector<BuildRecord> builds, const DateRange& window,
                                const BuildRecord& tonight) {
  std::ranges::sort(builds, [](const auto& a, const auto& b) { return isOlder(b, a); });
  StartableBuilds result;
  std::set<std::string> programs{tonight.details.program};
  for (BuildRecord& build : builds) {
    if (!window.contains(build.buildDate)) continue;
    if (!build.start && build.kind == "facts") continue;
    if (!canStart(build)) {
      ++result.cannotStart;
      continue;
    }
    const std::string& program = build.details.program;
    if (!program.empty() && !programs.insert(program).second) {
      ++result.same;
      continue;
    }
    result.builds.push_back(std::move(build));
  }
  return result;
}

bool readsFormat(const BuildRecord& build, ArtifactRecord::Format format) {
  const std::vector<std::string>& formats = build.details.formats;
  if (formats.empty()) return format != ArtifactRecord::Format::kSavedModel;
  return std::ranges::find(formats, formatName(format)) != formats.end();
}

}  // namespace vintage::harness

#include "harness/runtimes/builds/when_needed.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

bool isThere(const fs::path& path) {
  std::error_code problem;
  return fs::exists(path, problem);
}

// The program that makes the environment again, and its arguments.
Result<std::vector<std::string>> againCommand(const BuildRecord& build,
                                              const std::string& interpreter) {
  const auto& recipe = build.details.environment;
  if (!recipe || recipe->packages.empty())
    return usageError("build '{}' is bound in {}, and no recipe says of what it is made",
                      build.name, build.start->environment);
  const auto framework = std::ranges::find(frameworks(), recipe->framework, &Framework::name);
  const bool isPlugin = framework == frameworks().end();
  ASSIGN_OR_RETURN(const auto programs, findPythonPrograms(isPlugin ? kPlugins : **framework));
  std::vector<std::string> command{interpreter, programs.string()};
  if (isPlugin)
    command.insert(command.end(), {"fetch", recipe->packages.front().name});
  else
    command.emplace_back("environment");
  command.insert(command.end(), {"--again", build.start->environment});
  return command;
}

}  // namespace

bool isEnvironmentThere(const StartCommand& start) {
  return start.environment.empty() || isThere(fs::path(start.environment) / "environment.json");
}

bool canBeMade(const StartCommand& start) {
  const fs::path place(start.environment);
  return !start.environment.empty() &&
         isThere(place.parent_path().parent_path() / "recipes" / (place.filename() += ".json"));
}

Status makeEnvironmentOf(const BuildRecord& build, ProcessHost& host,
                         const PythonProgress& progress) {
  if (isEnvironmentThere(*build.start) || !canBeMade(*build.start)) return {};
  ASSIGN_OR_RETURN(const auto interpreter, findInterpreter(host));
  ASSIGN_OR_RETURN(auto command, againCommand(build, interpreter));
  const auto made = askPython(std::move(command), "it cannot be installed", host, progress);
  if (!made) return within(fmt::format("build '{}'", build.name), made.error());
  return {};
}

BuildRecord knownBy(const BuildRecord& build, const BuildRecord& greeting) {
  BuildRecord known = build;
  known.kind = "command";
  known.platforms = greeting.platforms;
  known.modes = greeting.modes;
  known.oldestCallingConvention = greeting.oldestCallingConvention;
  known.newestCallingConvention = greeting.newestCallingConvention;
  known.newestSerialization = greeting.newestSerialization;
  known.stablehloVersion = greeting.stablehloVersion;
  known.customCallTargets = greeting.customCallTargets;
  known.details.formats = greeting.details.formats;
  return known;
}

Result<nlohmann::json> environmentsOnDisk(const DiskRequest& request, ProcessHost& host,
                                          const PythonProgress& progress) {
  ASSIGN_OR_RETURN(const auto programs, findPythonPrograms(kPlugins));
  ASSIGN_OR_RETURN(const auto interpreter, findInterpreter(host));
  std::vector<std::string> command{interpreter, programs.string(), "disk"};
  for (const std::string& root : request.roots) command.insert(command.end(), {"--root", root});
  if (request.limit) command.insert(command.end(), {"--limit", fmt::format("{}", *request.limit)});
  ASSIGN_OR_RETURN(auto answer, askPython(std::move(command), "builds disk", host, progress));
  return std::move(answer.result);
}

}  // namespace vintage::harness

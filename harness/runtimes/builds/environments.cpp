#include "harness/runtimes/builds/environments.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "archive/records/runtime_description.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/runtimes/builds/release_facts.h"
#include "harness/runtimes/builds/when_needed.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The options of both programs that choose releases.
void addChoice(std::vector<std::string>& command, const EnvironmentRequest& request) {
  for (const auto& [option, value] :
       {std::pair{"--root", &request.root}, std::pair{"--wheels", &request.wheels},
        std::pair{"--released", &request.released}, std::pair{"--today", &request.today}})
    if (!value->empty()) command.insert(command.end(), {option, *value});
  if (request.every > 0)
    command.insert(command.end(), {"--every", fmt::format("{}", request.every)});
  if (request.whenNeeded) command.emplace_back("--when-needed");
}

std::vector<std::string> command(const EnvironmentRequest& request, const std::string& interpreter,
                                 const std::string& programs) {
  std::vector<std::string> command{interpreter, programs, "environment"};
  if (!request.releases.empty()) {
    command.push_back(optionOf(*request.framework));
    command.insert(command.end(), request.releases.begin(), request.releases.end());
  }
  for (const auto& [option, value] :
       {std::pair{"--python", &request.python}, std::pair{"--lock", &request.lock}})
    if (!value->empty()) command.insert(command.end(), {option, *value});
  addChoice(command, request);
  return command;
}

std::vector<std::pair<std::string, std::string>> reasons(const json& list, const char* field) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const json& one : list)
    result.emplace_back(one.at("release").get<std::string>(), one.at(field).get<std::string>());
  return result;
}

std::vector<PythonEnvironment::Package> packagesOf(const json& made) {
  std::vector<PythonEnvironment::Package> packages;
  for (const json& package : made.at("packages"))
    packages.push_back(
        {package.at("name").get<std::string>(), package.at("version").get<std::string>(),
         package.at("wheel").get<std::string>(), package.at("sha256").get<std::string>()});
  return packages;
}

PythonEnvironment environmentOf(const json& made, const EnvironmentRequest& request) {
  PythonEnvironment environment;
  environment.framework = request.framework->name;
  environment.release = made.value("release", "");
  environment.python = made.at("python").at("version").get<std::string>();
  environment.releasedBy = made.value("released_by", "");
  environment.produces = made.value("produces", "");
  if (environment.produces.empty() && !made.at("producer").empty())
    environment.produces = formatName(ArtifactRecord::Format::kExported);
  environment.packages = packagesOf(made);
  return environment;
}

Result<EnvironmentsReport> readAnswer(const json& answer, const EnvironmentRequest& request,
                                      const std::vector<std::string>& conditions) {
  EnvironmentsReport report;
  report.leftOut = reasons(answer.at("left_out"), "reason");
  report.failed = reasons(answer.at("failed"), "message");
  for (const json& made : answer.at("environments")) {
    std::vector<BuildRecord> builds;
    for (const std::string& condition : conditions) {
      auto build = buildOfEnvironment(made, request, condition);
      if (!build) {
        report.failed.emplace_back(made.value("release", ""), build.error().message);
        break;
      }
      builds.push_back(std::move(*build));
    }
    if (builds.size() == conditions.size())
      std::ranges::move(builds, std::back_inserter(report.builds));
  }
  return report;
}

// A JAX, and what says when it was released.
struct AskedRelease {
  std::string python, option, value;
  SandboxUse sandbox = SandboxUse::kNone;
};

Result<AskedRelease> releaseOf(const BuildRecord& build) {
  if (!build.start || build.start->exporter.empty())
    return usageError("build '{}' is no release of JAX; 'vintage builds add --jax' registers some",
                      build.name);
  const std::string& python = build.start->exporter.front();
  const std::string& place = build.start->environment;
  if (!place.empty())
    return AskedRelease{python, "--environment", place, sandboxFor(build, SandboxUse::kRecipes)};
  return AskedRelease{python, "--released", formatDate(build.buildDate)};
}

// `what`: the option of `describe` that asks for more.
Result<nlohmann::json> ask(const AskedRelease& release, const std::string& what, ProcessHost& host,
                           const PythonProgress& progress) {
  ASSIGN_OR_RETURN(auto programs, findPythonPrograms(kJax));
  ASSIGN_OR_RETURN(auto command, sandboxed({release.python, programs.string(), "describe", what,
                                            release.option, release.value},
                                           release.sandbox, host));
  ASSIGN_OR_RETURN(auto answer, askPython(std::move(command), release.python, host, progress));
  return std::move(answer.result);
}

Result<RuntimeDescription> describeRelease(const AskedRelease& release, ProcessHost& host,
                                           const PythonProgress& progress) {
  ASSIGN_OR_RETURN(const auto described, ask(release, "--emitted", host, progress));
  return runtimeOfJson(described, release.python);
}

}  // namespace

std::string buildName(const std::string& said, const std::string& condition) {
  std::string name = said;
  std::ranges::replace(name, ' ', '-');
  return condition == Condition::kFresh ? fmt::format("{}-{}", name, condition) : name;
}

Result<BuildRecord> buildOfEnvironment(const json& environment, const EnvironmentRequest& request,
                                       const std::string& condition) {
  ASSIGN_OR_RETURN(auto runtime, runtimeOfJson(environment.at("runtime"),
                                               environment.value("name", "the release")));
  BuildRecord build = factsOf(runtime);
  build.kind = "command";
  if (!environment.value("made", true)) {
    build.kind = kRecipeKind;
    build.details.runtime.reset();  // It says what all releases say.
  }
  build.name = buildName(runtime.name, condition);
  StartCommand& start = build.start.emplace();
  environment.at("consumer").at(condition).get_to(start.worker);
  environment.at("producer").get_to(start.exporter);
  start.environment = environment.value("path", "");
  BuildDetails& details = build.details;
  details.said = SaidOfItself{runtime.name, formatDate(build.buildDate)};
  // As the worker greets.
  if (condition == Condition::kFresh) details.said->name += " " + condition;
  details.formats = environment.value("formats", details.formats);
  details.environment = environmentOf(environment, request);
  details.environment->condition = condition;
  return build;
}

Result<StartCommand> installRecipe(const BuildRecord& build, const std::string& root,
                                   ProcessHost& host, const PythonProgress& progress) {
  const PythonEnvironment& recipe = *build.details.environment;
  const auto framework = std::ranges::find(frameworks(), recipe.framework, &Framework::name);
  if (framework == frameworks().end())
    return usageError("build '{}': '{}' is no framework whose releases are installed", build.name,
                      recipe.framework);
  EnvironmentRequest request;
  request.framework = *framework;
  request.releases = {recipe.release};
  request.root = root;
  // As its worker greets; the archive may count it from another day.
  request.released =
      build.details.said ? build.details.said->buildDate : formatDate(build.buildDate);
  request.lock = (fs::temp_directory_path() / "vintage_lock_XXXXXX").string();
  const int descriptor = ::mkstemp(request.lock.data());
  if (descriptor < 0) return ioError("{}: cannot be created", request.lock);
  ::close(descriptor);
  PythonEnvironment locked = recipe;
  locked.python = recipe.python.substr(0, recipe.python.rfind('.'));  // "3.12" of "3.12.1"
  RETURN_IF_ERROR(writeTextFile(request.lock, environmentJson(locked).dump(1) + "\n"));
  const std::string condition = recipe.condition.empty() ? Condition::kWarm : recipe.condition;
  auto made = makeEnvironments(request, {condition}, host, progress);
  std::error_code ignored;
  fs::remove(request.lock, ignored);
  ASSIGN_OR_RETURN(auto report, std::move(made));
  if (report.builds.empty() || !report.builds.front().start)
    return ioError("build '{}' cannot be installed: {}", build.name,
                   !report.failed.empty()    ? report.failed.front().second
                   : !report.leftOut.empty() ? report.leftOut.front().second
                                             : "the package index has no such release");
  return std::move(*report.builds.front().start);
}

Result<EnvironmentsReport> makeEnvironments(const EnvironmentRequest& request,
                                            const std::vector<std::string>& conditions,
                                            ProcessHost& host, const PythonProgress& progress) {
  ASSIGN_OR_RETURN(auto programs, findPythonPrograms(*request.framework));
  ASSIGN_OR_RETURN(auto interpreter, findInterpreter(host));
  ASSIGN_OR_RETURN(auto answer, askPython(command(request, interpreter, programs.string()),
                                          request.framework->title, host, progress));
  return understood(programs.string(), [&] {
    return readAnswer(
        answer.result, request,
        request.framework->hasConditions ? conditions : std::vector<std::string>{Condition::kOnly});
  });
}

Result<RuntimeDescription> describeBuild(const BuildRecord& build, ProcessHost& host,
                                         const PythonProgress& progress) {
  ASSIGN_OR_RETURN(const auto release, releaseOf(build));
  return describeRelease(release, host, progress);
}

Result<json> describeDialects(const BuildRecord& build, ProcessHost& host,
                              const PythonProgress& progress) {
  ASSIGN_OR_RETURN(const auto release, releaseOf(build));
  ASSIGN_OR_RETURN(auto described, ask(release, "--dialects", host, progress));
  return understood(release.python, [&]() -> Result<json> { return described.at("dialects"); });
}

Result<RuntimeDescription> describePython(const std::string& python, const std::string& day,
                                          ProcessHost& host, const PythonProgress& progress) {
  return describeRelease({python, "--released", day}, host, progress);
}

Result<PluginsReport> fetchPlugins(const std::string& package, const EnvironmentRequest& request,
                                   ProcessHost& host, const PythonProgress& progress) {
  ASSIGN_OR_RETURN(auto programs, findPythonPrograms(kPlugins));
  ASSIGN_OR_RETURN(auto interpreter, findInterpreter(host));
  std::vector<std::string> command{interpreter, programs.string(), "fetch", package};
  addChoice(command, request);
  ASSIGN_OR_RETURN(const auto answer,
                   askPython(std::move(command), kPlugins.title, host, progress));
  return understood(programs.string(), [&]() -> Result<PluginsReport> {
    PluginsReport report;
    report.leftOut = reasons(answer.result.at("left_out"), "reason");
    report.failed = reasons(answer.result.at("failed"), "message");
    for (const json& made : answer.result.at("environments")) {
      FetchedPlugin& plugin = report.plugins.emplace_back();
      made.at("library").get_to(plugin.library);
      made.at("path").get_to(plugin.place);
      made.at("released").get_to(plugin.released);
      made.at("released_by").get_to(plugin.environment.releasedBy);
      plugin.environment.packages = packagesOf(made);
      plugin.environment.packages.front().name = package.substr(0, package.find("=="));
    }
    return report;
  });
}

}  // namespace vintage::harness

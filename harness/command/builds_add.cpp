#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/runtimes/builds/from_git.h"
#include "harness/runtimes/builds/release_facts.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr size_t kShownCommitCharacters = 7;

}  // namespace

void AddAction::addTo(CLI::App& app) {
  app.add_option("COMMAND", command_,
                 "A worker's program and its arguments, after -- (docs/worker_protocol.md)");
  app.add_flag("--embedded", embedded_, "Register the embedded engine, and keep its program");
  app.add_option("--from-git", revision_,
                 "Build this project's worker at a commit, keep it, and register it under the "
                 "commit's date");
  app.add_option("--repo", repository_, "The repository of --from-git")->capture_default_str();
  app.add_option("--preset", preset_, "The commit's CMake preset to build with")
      ->capture_default_str();
  app.add_option("--scratch", scratch_,
                 "Where --from-git builds; what it leaves there makes the next commit quicker "
                 "(default: a folder of the system's temporary one)");
  app.add_option("--jobs,-j", jobs_, "Compilations at once (default: one for each processor)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--name", name_, "Register it under this name instead of its own");
  app.add_option("--date", date_, "Register it under this date (YYYY-MM-DD)");
  app.add_flag("--keep", keep_, "Keep a copy of the program in the archive");
  app.add_flag("--keep-libraries", keepLibraries_,
               "Also keep the libraries that it loads, so that it runs where they are missing");
  releases_.addTo(app);
  plugin_.addTo(app);
}

Result<int> AddAction::run(Archive& archive, Console& console) const {
  if (releases_.asked() && command_.empty() && revision_.empty() && !embedded_ && !plugin_.asked())
    return releases_.run(archive, name_, date_, console);
  ASSIGN_OR_RETURN(auto build, addOne(archive, console));
  console.answer(wholeBuild(build), "registered: " + buildLine(build) + "\n");
  return kExitHolds;
}

Result<BuildRecord> AddAction::addOne(Archive& archive, Console& console) const {
  if (int(!command_.empty()) + int(!revision_.empty()) + int(embedded_) + int(releases_.asked()) +
          int(plugin_.asked()) !=
      1)
    return usageError(
        "name the build: a COMMAND after --, --from-git REVISION, --embedded, --jax, "
        "--tensorflow or --iree RELEASE, --python PATH, or --plugin LIBRARY");
  auto host = makePosixProcessHost();
  if (!revision_.empty()) return addCommit(archive, console, *host);
  ASSIGN_OR_RETURN(auto date, parseDateOption(date_, "--date"));
  RegisterOptions options;
  if (plugin_.asked()) {
    ASSIGN_OR_RETURN(options, plugin_.registration(releases_.root(), releases_.wheels(), date,
                                                   console, *host));
  } else {
    options.command = command_;
  }
  options.keep = keep_ || embedded_;
  options.keepLibraries = keepLibraries_;
  if (!name_.empty()) options.name = name_;
  options.date = date;
  if (embedded_) {
    ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
    const Date built = date.value_or(compiledOn());
    options.command = {worker.string(), "--build-date", formatDate(built)};
  }
  return registerCommand(archive, options, *host);
}

Result<BuildRecord> AddAction::addCommit(Archive& archive, Console& console,
                                         ProcessHost& host) const {
  ASSIGN_OR_RETURN(auto date, parseDateOption(date_, "--date"));
  FromGitOptions options;
  options.revision = revision_;
  options.repository = repository_;
  options.scratch =
      scratch_.empty() ? fs::temp_directory_path() / "vintage-from-git" : fs::path(scratch_);
  options.preset = preset_;
  options.jobs =
      jobs_ > 0 ? jobs_ : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string phase;
  ASSIGN_OR_RETURN(auto built,
                   buildFromGit(options, host, std::bind_front(&Console::step, &console)));
  RegisterOptions registration;
  const Date under = date.value_or(built.date);
  registration.command = {built.worker.string(), "--build-date", formatDate(under)};
  registration.keep = true;
  registration.keepLibraries = keepLibraries_;
  registration.date = under;
  registration.commit = built.commit;
  // Several commits of one day are several builds.
  registration.name = name_.empty() ? fmt::format("vintage-engine {} {}", formatDate(under),
                                                  built.commit.id.substr(0, kShownCommitCharacters))
                                    : name_;
  return registerCommand(archive, registration, host);
}

Result<RuntimeDescription> askRuntime(const BuildRecord& build, ProcessHost& host) {
  if (build.details.runtime) return *build.details.runtime;
  ASSIGN_OR_RETURN(auto ready, readyToStart(build, host));
  ASSIGN_OR_RETURN(auto answering, introduce(ready.start->worker, host));
  if (!answering.details.runtime)
    return unsupported(
        "build '{}' cannot describe what it registers: its worker answers "
        "no 'describe' (docs/worker_protocol.md); only the facts of its "
        "greeting are known",
        build.name);
  return std::move(*answering.details.runtime);
}

Result<std::vector<BuildRecord>> readFacts(const std::string& file,
                                           const std::string& stablehloFile) {
  ASSIGN_OR_RETURN(auto text, readTextFile(file));
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_object() && document.contains("targets")) {
    ASSIGN_OR_RETURN(auto runtime, parseRuntimeDescription(text, file));
    return std::vector<BuildRecord>{factsOf(runtime)};
  }
  std::vector<StablehloRelease> stablehlo;
  std::error_code problem;
  const fs::path beside = fs::path(file).parent_path() / "stablehlo_versions.json";
  if (!stablehloFile.empty() || fs::exists(beside, problem)) {
    const std::string path = stablehloFile.empty() ? beside.string() : stablehloFile;
    ASSIGN_OR_RETURN(auto versions, readTextFile(path));
    ASSIGN_OR_RETURN(auto parsed, parseStablehloReleases(versions, path));
    stablehlo = std::move(parsed);
  }
  return parseReleaseFacts(text, file, stablehlo);
}

}  // namespace vintage::harness

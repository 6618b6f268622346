// `builds bind`, `install` and `former`: how this user starts builds that came from elsewhere.
#include <filesystem>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/typed_words.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/start_commands.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Until format 12 kept programs lay in the archive, under ARCHIVE/builds/HASH/NAME.
constexpr std::string_view kInArchive = "archive:";

// The command as it was, with a kept program copied to where this user's programs lie.
Result<StartCommand> startOf(const Archive::FormerCommand& former, const BuildRecord& build,
                             const StartCommands& commands, const Archive& archive,
                             ProcessHost& host) {
  StartCommand start;
  start.worker = former.worker;
  start.exporter = former.exporter;
  start.environment = former.environment;
  if (start.worker.empty() || !start.worker.front().starts_with(kInArchive)) return start;
  const fs::path program =
      fs::path(archive.folder()) / "builds" / start.worker.front().substr(kInArchive.size());
  ASSIGN_OR_RETURN(const auto place, commands.placeForPrograms());
  ASSIGN_OR_RETURN(auto kept, keepProgram(program, place, false, host));
  // Formats before 12 knew a program by its content alone.
  if (!build.details.program.empty() && kept.hash != build.details.program)
    return badInput("{}: the program of build '{}' is damaged: its SHA-256 is {}, {} was kept",
                    program.string(), build.name, kept.hash, build.details.program);
  start.worker.front() = std::move(kept.path);
  start.libraries = std::move(kept.libraries);
  return start;
}

int printDone(const char* done, const BuildRecord& build, Console& console) {
  console.answerLine(wholeBuild(build), "{}: {}", done, buildLine(build));
  return kExitHolds;
}

class BindAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("BUILD", build_, "The build's full name")->required();
    app.add_option("COMMAND", options_.command, "A worker's program and its arguments, after --")
        ->required();
    app.add_flag("--keep", options_.keep, "Keep a copy of the program in your own state");
  }

  Result<int> run(const std::string& folder, Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(folder, Archive::Mode::kReadOnly));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(const auto build, bindBuild(archive, build_, options_, *host));
    return printDone("bound", build, console);
  }

 private:
  std::string build_;
  RegisterOptions options_;
};

std::string addingOption(const Framework& framework) {
  const std::string option = optionOf(framework);
  return &framework == frameworks().front() ? "'vintage builds add " + option + "'" : option;
}

class InstallAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("BUILD", build_, "The build's full name")->required();
    app.add_option("--root", root_, "Where environments for releases are kept");
  }

  Result<int> run(const std::string& folder, Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(folder, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
    const auto& recipe = build.details.environment;
    if (!recipe || recipe->framework.empty())
      return usageError(
          "build '{}' has no recipe: it was not registered by {}; bind a program: vintage "
          "builds bind {} -- PROGRAM",
          build_, listFrameworks("or", addingOption), shellWord(build_));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto installed, installRecipe(build, root_, *host, progressOn(console)));
    ASSIGN_OR_RETURN(auto commands, StartCommands::of(archive));
    build.start = std::move(installed);
    RETURN_IF_ERROR(commands.bind(build.name, *build.start));
    return printDone("installed", build, console);
  }

 private:
  std::string build_, root_;
};

class FormerAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("BUILD", builds_, "Only these builds (default: all)");
    app.add_flag("--bind", bind_,
                 "Start these builds as the archive says: for commands that you gave yourself");
    app.add_flag("--forget", forget_, "Remove the commands from the archive");
  }

  Result<int> run(const std::string& folder, Console& console) override {
    const auto mode = bind_ || forget_ ? Archive::Mode::kReadWrite : Archive::Mode::kReadOnly;
    ASSIGN_OR_RETURN(auto archive, Archive::open(folder, mode));
    ASSIGN_OR_RETURN(auto all, archive.formerCommands());
    for (const std::string& name : builds_)
      if (std::ranges::find(all, name, &Archive::FormerCommand::build) == all.end())
        return notFound("{}: no start command of '{}' is left from an older format", folder, name);
    if (!builds_.empty())
      std::erase_if(all, [&](const Archive::FormerCommand& one) {
        return std::ranges::find(builds_, one.build) == builds_.end();
      });
    json list = json::array();
    for (const Archive::FormerCommand& one : all) {
      if (bind_) RETURN_IF_ERROR(bindOne(one, archive));
      if (bind_ || forget_) RETURN_IF_ERROR(archive.forgetFormerCommand(one.build));
      console.row(list,
                  {{"build", one.build},
                   {"command", one.worker},
                   {"exporter", one.exporter},
                   {"environment", one.environment}},
                  "{}: {}", one.build, fmt::join(one.worker, " "));
    }
    console.answerLine(list, "{} {}", all.size(),
                       bind_     ? "bound"
                       : forget_ ? "forgotten"
                                 : "of an older format; nothing executes them (--bind, --forget)");
    return kExitHolds;
  }

 private:
  static Status bindOne(const Archive::FormerCommand& former, const Archive& archive) {
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(const auto build, findBuild(archive, former.build));
    ASSIGN_OR_RETURN(auto commands, StartCommands::of(archive));
    ASSIGN_OR_RETURN(auto start, startOf(former, build, commands, archive, *host));
    return commands.bind(former.build, std::move(start));
  }

  std::vector<std::string> builds_;
  bool bind_ = false, forget_ = false;
};

}  // namespace

std::unique_ptr<BuildsAction> makeBindAction() { return std::make_unique<BindAction>(); }
std::unique_ptr<BuildsAction> makeInstallAction() { return std::make_unique<InstallAction>(); }
std::unique_ptr<BuildsAction> makeFormerAction() { return std::make_unique<FormerAction>(); }

}  // namespace vintage::harness

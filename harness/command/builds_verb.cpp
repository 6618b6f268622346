#include <algorithm>
#include <filesystem>

#include "archive/records/runtime_description.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/release_facts.h"
#include "harness/runtimes/conversation.h"

namespace vintage::harness {
using namespace archive;

namespace {

// The build's recorded description, or else its worker's answer now.
Result<RuntimeDescription> askRuntime(const BuildRecord& build, ProcessHost& host) {
  if (build.details.runtime) return *build.details.runtime;
  ASSIGN_OR_RETURN(auto ready, readyToStart(build, host));
  ASSIGN_OR_RETURN(auto answering, introduce(ready.start->worker, host));
  if (!answering.details.runtime)
    return unsupported(
        "build '{}' cannot describe what it registers: its worker answers no 'describe' "
        "(docs/reference/worker_protocol.md); only the facts of its greeting are known",
        build.name);
  return std::move(*answering.details.runtime);
}

// Releases of a list, or the one that a description describes.
Result<std::vector<BuildRecord>> readFacts(const std::string& file, std::string stablehloFile) {
  ASSIGN_OR_RETURN(auto text, readTextFile(file));
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (document.is_object() && document.contains("targets")) {
    ASSIGN_OR_RETURN(auto runtime, parseRuntimeDescription(text, file));
    return std::vector<BuildRecord>{factsOf(runtime)};
  }
  std::error_code problem;
  const std::filesystem::path beside =
      std::filesystem::path(file).parent_path() / "stablehlo_versions.json";
  if (stablehloFile.empty() && std::filesystem::exists(beside, problem)) stablehloFile = beside;
  ASSIGN_OR_RETURN(const auto stablehlo, parseFile(stablehloFile, parseStablehloReleases));
  return parseReleaseFacts(text, file, stablehlo);
}

class BuildsVerb final : public Verb {
 public:
  BuildsVerb()
      : Verb("builds",
             "List, show, add, bind, import, check and remove the dated builds of an archive",
             "vintage builds list --archive A\n"
             "  vintage builds add --archive A --keep -- /opt/old/worker --flag\n"
             "  vintage builds add --archive A --from-git v0.1 --repo .\n"
             "  vintage builds add --archive A --jax latest 0.4.30..0.5\n"
             "  vintage builds bind jax-0.5.0 --archive A -- /opt/worker --flag\n"
             "  vintage builds describe jax-0.5.0 --archive A --emitted\n"
             "  vintage builds import jax_releases.json --archive A\n"
             "  vintage builds check --archive A --jax 0.4.30 --jaxlib 0.4.29") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive; all actions but 'disk' need it");
    app.require_subcommand(0, 1);
    action(app, "list", "List all builds by date (the default action)", &BuildsVerb::list);

    CLI::App* show = action(app, "show", "Print all that is known of a build", &BuildsVerb::show);
    show->add_option("BUILD", build_, "The build's full name")->required();

    CLI::App* describe = action(app, "describe",
                                "Print what a build registers, as its worker reports it "
                                "(docs/gate/registry.md)",
                                &BuildsVerb::describe);
    describe->add_option("--build,BUILD", build_,
                         "The build's full name (default: the embedded engine)");
    describe->add_flag(
        "--emitted", emitted_,
        "Ask a release of JAX also which targets its jit and its exports call, for each "
        "platform, and keep the answer with the build (minutes)");
    describe
        ->add_flag("--dialects", dialects_,
                   "Print instead what the StableHLO, VHLO, CHLO and "
                   "Shardy know and this program does not (docs/howto/following_stablehlo.md)")
        ->excludes("--emitted");

    action(app, "add", "Start a worker and register the build that it reports", makeAddAction());
    action(app, "bind",
           "Say how you start a build that came from elsewhere: nothing that an archive says is "
           "executed",
           makeBindAction());
    action(app, "install",
           "Make the environment of a release that came from elsewhere, of the packages that its "
           "recipe locks, and bind it",
           makeInstallAction());
    action(app, "former",
           "Print, bind or forget the start commands that archives of format 11 kept",
           makeFormerAction());

    disk_ = action(
        app, "disk",
        "Print what the environments of releases take on the disk, and drop some over a limit",
        makeDiskAction());

    CLI::App* remove = action(app, "remove", "Remove a build", &BuildsVerb::remove);
    remove->add_option("BUILD", build_, "The build's full name")->required();
    remove->add_flag("--with-outcomes", withOutcomes_, "Also remove the outcomes recorded on it");

    CLI::App* import = action(app, "import",
                              "Register releases known by their facts: a list of JAX's releases, "
                              "or what 'builds describe' printed",
                              &BuildsVerb::import);
    import->add_option("FILE", file_, "JSON")->required();
    import->add_option("--stablehlo", stablehloFile_,
                       "When StableHLO's versions became current (a list as "
                       "facts/stablehlo_versions.json); the default lies beside FILE");

    action(app, "check",
           "Check that builds start and match their registration, or which jax goes with which "
           "jaxlib",
           makeCheckAction());
  }

  Result<int> run(Console& console) override {
    if (archive_.empty() && large_ != disk_) return usageError("--archive is required");
    return large_ != nullptr ? large_->run(archive_, console) : (this->*action_)(console);
  }

 private:
  using Action = Result<int> (BuildsVerb::*)(Console&);

  CLI::App* action(CLI::App& app, const char* word, const char* summary, Action action) {
    CLI::App* sub = app.add_subcommand(word, summary);
    // --archive and --format may stand after the action too.
    sub->fallthrough();
    sub->parse_complete_callback([this, action] { action_ = action; });
    return sub;
  }
  BuildsAction* action(CLI::App& app, const char* word, const char* summary,
                       std::unique_ptr<BuildsAction> large) {
    CLI::App* sub = action(app, word, summary, nullptr);
    large->addTo(*sub);
    sub->parse_complete_callback([this, chosen = large.get()] { large_ = chosen; });
    return larges_.emplace_back(std::move(large)).get();
  }

  Result<int> list(Console& console) {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
    nlohmann::json list = nlohmann::json::array();
    for (const BuildRecord& build : builds)
      if (console.json())
        list.push_back(wholeBuild(build));
      else
        console.line(buildLine(build));
    console.answerLine(list, "{} build{}", builds.size(), builds.size() == 1 ? "" : "s");
    return kExitHolds;
  }

  Result<int> show(Console& console) {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
    console.answer(wholeBuild(build), buildText(build));
    return kExitHolds;
  }

  Result<int> describe(Console& console) {
    if (dialects_) {
      if (build_.empty()) return usageError("--dialects asks a release of JAX; name its build");
      ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
      return compareDialects(build, console);
    }
    auto host = makePosixProcessHost();
    RuntimeDescription runtime;
    if (emitted_) {
      ASSIGN_OR_RETURN(runtime, askAndKeep(console));
    } else if (build_.empty()) {
      ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
      ASSIGN_OR_RETURN(auto engine, introduce({worker.string()}, *host));
      runtime = std::move(engine.details.runtime).value_or(RuntimeDescription());
    } else {
      ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
      ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
      ASSIGN_OR_RETURN(runtime, askRuntime(build, *host));
    }
    console.answer(toJson(runtime), descriptionText(runtime));
    return kExitHolds;
  }

  Result<RuntimeDescription> askAndKeep(Console& console) {
    if (build_.empty()) return usageError("--emitted asks a release of JAX; name its build");
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto runtime, describeBuild(build, *host, progressOn(console)));
    build.details.runtime = runtime;
    RETURN_IF_ERROR(archive.putBuild(build));
    return runtime;
  }

  Result<int> remove(Console& console) {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    // Its message names those that are there.
    RETURN_IF_ERROR(findBuild(archive, build_));
    RETURN_IF_ERROR(archive.removeBuild(build_, withOutcomes_));
    console.answer({{"removed", build_}}, "removed: " + build_ + "\n");
    return kExitHolds;
  }

  Result<int> import(Console& console) {
    ASSIGN_OR_RETURN(auto builds, readFacts(file_, stablehloFile_));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kCreate));
    ASSIGN_OR_RETURN(auto known, ownBuilds(archive));
    size_t added = 0;
    for (const BuildRecord& build : builds) {
      const auto same = std::ranges::find(known, build.name, &BuildRecord::name);
      if (same != known.end() && same->kind != "facts")
        return conflict(
            "{}: '{}' is registered already, as one that can be started; "
            "its facts would replace it",
            file_, build.name);
      added += same == known.end();
      if (Status status = archive.putBuild(build); !status) return within(file_, status.error());
    }
    console.answerLine({{"releases", builds.size()}, {"new", added}}, "{} known by facts, {} new",
                       counted(builds.size(), "release"), added);
    return kExitHolds;
  }

  std::string archive_, build_, file_, stablehloFile_;
  bool withOutcomes_ = false, emitted_ = false, dialects_ = false;
  Action action_ = &BuildsVerb::list;
  std::vector<std::unique_ptr<BuildsAction>> larges_;
  BuildsAction* large_ = nullptr;  // The one that was asked for; null: action_.
  BuildsAction* disk_ = nullptr;
};

}  // namespace

std::unique_ptr<Verb> makeBuildsVerb() { return std::make_unique<BuildsVerb>(); }

}  // namespace vintage::harness

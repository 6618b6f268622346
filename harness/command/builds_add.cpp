// `vintage builds add`: workers, commits, releases of frameworks, PJRT plugins.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/from_git.h"
#include "harness/runtimes/embedded/executor.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kShownCommitCharacters = 7;
constexpr std::string_view kPackagePrefix = "pypi:";
constexpr const char* kPluginWorker = "vintage-pjrt-worker";

// A release that was left out or failed, and why.
struct MissedRelease {
  std::string_view framework;
  std::string release, reason;
};
void to_json(json& out, const MissedRelease& missed) {
  out = {{"framework", missed.framework}, {"release", missed.release}, {"reason", missed.reason}};
}

// The options of frameworks: several builds at once.
class ReleaseOptions {
 public:
  void addTo(CLI::App& app) {
    for (const Framework* each : frameworks())
      app.add_option(optionOf(*each), releases_[each],
                     fmt::format("Register {}; docs/{}.md", each->releases, each->name))
          ->type_name("RELEASE ...");
    app.add_option("--python", request_.python,
                   "Register the JAX of this interpreter's own environment");
    app.add_option("--root", request_.root,
                   "Where environments for releases are kept (default: VINTAGE_JAX_ROOT, or "
                   "vintage/jax in XDG_DATA_HOME, for JAX; else VINTAGE_RUNTIMES_ROOT, or "
                   "vintage/runtimes)");
    app.add_option("--wheels", request_.wheels,
                   "Take the releases' wheels from this folder; needs no network");
    addDateOption(app, "--today", today_, "The day of 'window' (default: today)");
    addDefaulted(app, "--condition", condition_,
                 "warm: the worker lowers a program of its own before it loads artifacts; fresh: "
                 "it does not, as a server that only loads them",
                 CLI::IsMember({"warm", "fresh", "both"}));
  }

  bool asked() const {
    return !request_.python.empty() ||
           std::ranges::any_of(releases_, [](const auto& each) { return !each.second.empty(); });
  }

  const std::string& root() const { return request_.root; }
  const std::string& wheels() const { return request_.wheels; }

  // `name` and `date` as they were typed, of a single release.
  Result<int> run(Archive& archive, const std::string& name, std::optional<Date> date,
                  Console& console) const {
    ASSIGN_OR_RETURN(auto made, makeAll(date, console));
    if (!name.empty() && made.builds.size() > 1)
      return usageError("--name names one build; these are {}", made.builds.size());
    json registered = json::array();
    for (BuildRecord& build : made.builds) {
      if (!name.empty()) build.name = name;
      const std::string said = formatDate(build.buildDate);
      if (!date && keepArchivedDay(archive, build))
        console.note(fmt::format("{} stays of {} in this archive; its environment is of {}",
                                 build.name, formatDate(build.buildDate), said));
      if (Status status = registerBuild(archive, build); !status) {
        made.failed.push_back({"", build.name, status.error().message});
        continue;
      }
      console.row(registered, wholeBuild(build), "registered: {}", buildLine(build));
    }
    print(made, std::move(registered), console);
    return made.failed.empty() && !made.builds.empty() ? kExitHolds : kExitCannotTell;
  }

 private:
  struct Made {
    std::vector<BuildRecord> builds;
    std::vector<MissedRelease> leftOut, failed;
  };

  // The requests of all frameworks that were asked for.
  std::vector<EnvironmentRequest> requests(std::optional<Date> date) const {
    std::vector<EnvironmentRequest> requests;
    for (const Framework* framework : frameworks()) {
      EnvironmentRequest request = request_;
      request.framework = framework;
      request.releases = releases_.at(framework);
      if (framework != &kJax) request.python.clear();
      if (request.releases.empty() && request.python.empty()) continue;
      if (date) request.released = formatDate(*date);
      if (today_) request.today = formatDate(*today_);
      requests.push_back(std::move(request));
    }
    return requests;
  }

  Result<Made> makeAll(std::optional<Date> date, Console& console) const {
    std::vector<std::string> conditions;
    if (condition_ != "fresh") conditions.push_back(Condition::kWarm);
    if (condition_ != "warm") conditions.push_back(Condition::kFresh);
    auto host = makePosixProcessHost();
    Made made;
    for (const EnvironmentRequest& request : requests(date)) {
      ASSIGN_OR_RETURN(auto report,
                       makeEnvironments(request, conditions, *host, progressOn(console)));
      const std::string_view framework = request.framework->name;
      std::ranges::move(report.builds, std::back_inserter(made.builds));
      for (const auto& [release, why] : report.leftOut)
        made.leftOut.push_back({framework, release, why});
      for (const auto& [release, why] : report.failed)
        made.failed.push_back({framework, release, why});
    }
    return made;
  }

  static void print(const Made& made, json registered, Console& console) {
    const auto text = [](const MissedRelease& missed) {
      return fmt::format("{}{}{}: {}", missed.framework, missed.framework.empty() ? "" : " ",
                         missed.release, missed.reason);
    };
    if (console.json())
      console.printJson({{"registered", std::move(registered)},
                         {"left_out", made.leftOut},
                         {"failed", made.failed}});
    else
      for (const MissedRelease& missed : made.leftOut) console.line("left out: " + text(missed));
    for (const MissedRelease& missed : made.failed) console.error({Error::Kind::kIo, text(missed)});
  }

  EnvironmentRequest request_;
  std::map<const Framework*, std::vector<std::string>> releases_;
  std::optional<Date> today_;
  std::string condition_ = "warm";
};

// --plugin.
class PluginOptions {
 public:
  void addTo(CLI::App& app) {
    app.add_option("--plugin", plugin_,
                   "Register a PJRT plugin: its library, or pypi:PACKAGE==VERSION (docs/pjrt.md)");
    app.add_option("--topology", topology_,
                   "The plugin compiles for these devices, which need not be here: v5e:2x2; its "
                   "outcomes are 'compiled', never 'pass'");
    app.add_option(
        "--target-config", targetConfig_,
        "The plugin compiles for this GPU, which need not be here: a100, h100, or a file "
        "with a GpuTargetConfigProto");
    app.add_option("--platform", platform_,
                   "Which artifacts the plugin takes: cpu, cuda, rocm or tpu (default: its own)");
    app.add_option("--plugin-option", options_, "NAME=VALUE, for the plugin's client or topology")
        ->allow_extra_args(false);
    app.add_option("--environment", environment_, "NAME=VALUE, set before the plugin is loaded")
        ->allow_extra_args(false);
    app.add_flag(
        "--reserialize", reserialize_,
        "Write each module at the plugin's StableHLO version; without this option, the plugin "
        "gets the archived bytes");
    app.add_flag(
        "--ffi", ffi_,
        "Register the engine's LAPACK kernels with the plugin: programs that call jaxlib's "
        "lapack_… targets run on a plugin for the CPU that has none");
  }

  bool asked() const { return !plugin_.empty(); }

  // How the plugin is registered. `root` and `wheels` as fetchPlugin() takes them.
  Result<RegisterOptions> registration(const std::string& root, const std::string& wheels,
                                       std::optional<Date> date, Console& console,
                                       ProcessHost& host) const {
    RegisterOptions options;
    std::string library = plugin_, release, name;
    if (plugin_.starts_with(kPackagePrefix)) {
      const PluginRequest request{plugin_.substr(kPackagePrefix.size()), root, wheels};
      ASSIGN_OR_RETURN(const auto fetched, fetchPlugin(request, host, progressOn(console)));
      library = fetched.library;
      const auto& package = fetched.environment.packages.front();
      release = package.version;
      name = fmt::format("{}-{}", package.name, package.version);
      if (!date && !fetched.released.empty()) {
        ASSIGN_OR_RETURN(date, parseDate(fetched.released));
      }
      options.environment = fetched.environment;
    } else {
      std::error_code problem;
      library = fs::absolute(library, problem).string();
      if (!fs::exists(library, problem))
        return notFound(
            "--plugin: {}: there is no such file; a plugin is a shared library, or "
            "pypi:PACKAGE==VERSION",
            library);
      name = fs::path(library).stem().string();
    }
    if (!date)
      return usageError(
          "--plugin {}: it does not say when it was built, and the promises count "
          "from that day; give it with --date YYYY-MM-DD",
          plugin_);
    for (const std::string& one : {topology_, fs::path(targetConfig_).stem().string()})
      if (!one.empty()) name += "-" + one;
    if (reserialize_) name += "-reserialized";
    if (ffi_) name += "-ffi";
    ASSIGN_OR_RETURN(const auto worker, programBeside(kPluginWorker));
    options.command = {worker.string(),   "--plugin", library, "--build-date",
                       formatDate(*date), "--name",   name};
    const auto add = [&](const char* option, const std::string& value) {
      if (!value.empty()) options.command.insert(options.command.end(), {option, value});
    };
    add("--release", release);
    add("--topology", topology_);
    add("--target-config", targetConfig_);
    add("--platform", platform_);
    for (const std::string& option : options_) add("--option", option);
    for (const std::string& variable : environment_) add("--environment", variable);
    if (reserialize_) options.command.emplace_back("--reserialize");
    if (ffi_) options.command.emplace_back("--ffi");
    options.date = date;
    return options;
  }

 private:
  std::string plugin_, topology_, targetConfig_, platform_;
  std::vector<std::string> options_, environment_;
  bool reserialize_ = false, ffi_ = false;
};

class AddAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("COMMAND", command_,
                   "A worker's program and its arguments, after -- (docs/worker_protocol.md)");
    app.add_flag("--embedded", embedded_, "Register the embedded engine, and keep its program");
    app.add_option("--from-git", revision_,
                   "Build this project's worker at a commit, keep it, and register it under the "
                   "commit's date");
    addDefaulted(app, "--repo", repository_, "The repository of --from-git");
    addDefaulted(app, "--preset", preset_, "The commit's CMake preset to build with");
    app.add_option("--scratch", scratch_,
                   "Where --from-git builds; what it leaves there makes the next commit quicker "
                   "(default: a folder of the system's temporary one)");
    app.add_option("--jobs,-j", jobs_, "Compilations at once (default: one for each processor)")
        ->check(CLI::Range(1, 1024));
    app.add_option("--name", name_, "Register it under this name instead of its own");
    addDateOption(app, "--date", date_, "Register it under this date (YYYY-MM-DD)");
    app.add_flag("--keep", keep_, "Keep a copy of the program in the archive");
    app.add_flag("--keep-libraries", keepLibraries_,
                 "Also keep the libraries that it loads, so that it runs where they are missing");
    releases_.addTo(app);
    plugin_.addTo(app);
  }

  // Registers, and prints what was registered.
  Result<int> run(const std::string& folder, Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(folder, Archive::Mode::kCreate));
    if (releases_.asked() && command_.empty() && revision_.empty() && !embedded_ &&
        !plugin_.asked())
      return releases_.run(archive, name_, date_, console);
    ASSIGN_OR_RETURN(auto build, addOne(archive, console));
    console.answer(wholeBuild(build), "registered: " + buildLine(build) + "\n");
    return kExitHolds;
  }

 private:
  Result<BuildRecord> addOne(Archive& archive, Console& console) const {
    if (int(!command_.empty()) + int(!revision_.empty()) + int(embedded_) + int(releases_.asked()) +
            int(plugin_.asked()) !=
        1)
      return usageError(
          "name the build: a COMMAND after --, --from-git REVISION, --embedded, {} RELEASE, "
          "--python PATH, or --plugin LIBRARY",
          listFrameworks("or", optionOf));
    auto host = makePosixProcessHost();
    if (!revision_.empty()) return addCommit(archive, console, *host);
    RegisterOptions options;
    if (plugin_.asked()) {
      ASSIGN_OR_RETURN(options, plugin_.registration(releases_.root(), releases_.wheels(), date_,
                                                     console, *host));
    } else {
      options.command = command_;
    }
    options.keep = keep_ || embedded_;
    options.keepLibraries = keepLibraries_;
    if (!name_.empty()) options.name = name_;
    options.date = date_;
    if (embedded_) {
      ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
      const Date built = date_.value_or(compiledOn());
      options.command = {worker.string(), "--build-date", formatDate(built)};
    }
    return registerCommand(archive, options, *host);
  }

  Result<BuildRecord> addCommit(Archive& archive, Console& console, ProcessHost& host) const {
    FromGitOptions options;
    options.revision = revision_;
    options.repository = repository_;
    options.scratch =
        scratch_.empty() ? fs::temp_directory_path() / "vintage-from-git" : fs::path(scratch_);
    options.preset = preset_;
    options.jobs = orProcessors(jobs_);
    ASSIGN_OR_RETURN(auto built,
                     buildFromGit(options, host, std::bind_front(&Console::step, &console)));
    RegisterOptions registration;
    const Date under = date_.value_or(built.date);
    registration.command = {built.worker.string(), "--build-date", formatDate(under)};
    registration.keep = true;
    registration.keepLibraries = keepLibraries_;
    registration.date = under;
    registration.commit = built.commit;
    // Several commits of one day are several builds.
    registration.name = name_.empty()
                            ? fmt::format("vintage-engine {} {}", formatDate(under),
                                          built.commit.id.substr(0, kShownCommitCharacters))
                            : name_;
    return registerCommand(archive, registration, host);
  }

  std::vector<std::string> command_;
  std::string name_, revision_, repository_ = ".", scratch_, preset_ = "release";
  std::optional<Date> date_;
  bool keep_ = false, keepLibraries_ = false, embedded_ = false;
  int jobs_ = 0;
  ReleaseOptions releases_;
  PluginOptions plugin_;
};

}  // namespace

std::unique_ptr<BuildsAction> makeAddAction() { return std::make_unique<AddAction>(); }

}  // namespace vintage::harness

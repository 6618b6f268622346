// `vintage builds add`: workers, commits, releases of frameworks, PJRT plugins.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "harness/command/builds_actions.h"
#include "harness/command/builds_plugins.h"
#include "harness/command/builds_registration.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/from_git.h"
#include "harness/runtimes/embedded/executor.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kShownCommitCharacters = 7;

// The options of frameworks: several builds at once.
class ReleaseOptions {
 public:
  void addTo(CLI::App& app) {
    for (const Framework* each : frameworks())
      app.add_option(optionOf(*each), releases_[each],
                     fmt::format("Register {}; docs/howto/builds.md", each->releases))
          ->type_name("RELEASE ...");
    app.add_option("--every", request_.every,
                   "From a range, take only releases that are so many days apart")
        ->type_name("DAYS")
        ->check(CLI::NonNegativeNumber);
    app.add_flag("--when-needed", request_.whenNeeded,
                 "Register the recipes only: an environment is installed when a run needs it "
                 "(always so for nightly builds, --libtpu, --cuda and --rocm)");
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

  // The options of all releases, of a framework or of a plugin's package.
  EnvironmentRequest request(std::optional<Date> date) const {
    EnvironmentRequest request = request_;
    if (date) request.released = formatDate(*date);
    if (today_) request.today = formatDate(*today_);
    return request;
  }

  // `name` and `date` as they were typed, of a single release.
  Result<int> run(Archive& archive, const std::string& name, std::optional<Date> date,
                  Console& console) const {
    std::vector<std::string> conditions;
    if (condition_ != "fresh") conditions.push_back(Condition::kWarm);
    if (condition_ != "warm") conditions.push_back(Condition::kFresh);
    auto host = makePosixProcessHost();
    Registration registration(console);
    std::vector<BuildRecord> builds;
    for (const EnvironmentRequest& request : requests(date)) {
      ASSIGN_OR_RETURN(auto report,
                       makeEnvironments(request, conditions, *host, progressOn(console)));
      std::ranges::move(report.builds, std::back_inserter(builds));
      registration.miss(request.framework->name, report.leftOut, report.failed);
    }
    if (!name.empty() && builds.size() > 1)
      return usageError("--name names one build; these are {}", builds.size());
    for (BuildRecord& build : builds) {
      if (!name.empty()) build.name = name;
      const std::string said = formatDate(build.buildDate);
      if (!date && keepArchivedDay(archive, build))
        console.note(fmt::format("{} stays of {} in this archive; its environment is of {}",
                                 build.name, formatDate(build.buildDate), said));
      registration.add(build, registerBuild(archive, build));
    }
    return registration.end();
  }

 private:
  // The requests of all frameworks that were asked for.
  std::vector<EnvironmentRequest> requests(std::optional<Date> date) const {
    std::vector<EnvironmentRequest> requests;
    for (const Framework* framework : frameworks()) {
      EnvironmentRequest request = this->request(date);
      request.framework = framework;
      request.releases = releases_.at(framework);
      request.whenNeeded |= framework->whenNeeded;
      if (framework != &kJax) request.python.clear();
      if (request.releases.empty() && request.python.empty()) continue;
      requests.push_back(std::move(request));
    }
    return requests;
  }

  EnvironmentRequest request_;
  std::map<const Framework*, std::vector<std::string>> releases_;
  std::optional<Date> today_;
  std::string condition_ = "warm";
};

class AddAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option(
        "COMMAND", command_,
        "A worker's program and its arguments, after -- (docs/reference/worker_protocol.md)");
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
    if (kindsAsked() == 1 && releases_.asked())
      return releases_.run(archive, name_, date_, console);
    if (kindsAsked() == 1 && plugin_.askedForPackage()) {
      auto host = makePosixProcessHost();
      return plugin_.addPackages(archive, releases_.request(date_), name_, date_, *host, console);
    }
    ASSIGN_OR_RETURN(auto build, addOne(archive, console));
    std::string text = "registered: " + buildLine(build) + "\n";
    if (plugin_.askedForLibrary() && std::ranges::none_of(build.platforms, isExportedFor))
      text += fmt::format(
          "exports are for cpu, cuda, rocm and tpu, not for {}: name the one that it takes by "
          "--platform\n",
          fmt::join(build.platforms, ", "));
    console.answer(wholeBuild(build), text);
    return kExitHolds;
  }

 private:
  static bool isExportedFor(std::string_view platform) {
    return std::ranges::count(primitives::knownPlatforms(), platform) > 0;
  }
  int kindsAsked() const {
    return int(!command_.empty()) + int(!revision_.empty()) + int(embedded_) +
           int(releases_.asked()) + int(plugin_.askedForPackage()) + int(plugin_.askedForLibrary());
  }

  Result<BuildRecord> addOne(Archive& archive, Console& console) const {
    if (kindsAsked() != 1)
      return usageError(
          "name the build: a COMMAND after --, --from-git REVISION, --embedded, {} RELEASE, "
          "--python PATH, or --plugin LIBRARY",
          listFrameworks("or", optionOf));
    auto host = makePosixProcessHost();
    if (!revision_.empty()) return addCommit(archive, console, *host);
    RegisterOptions options;
    if (plugin_.askedForLibrary()) {
      ASSIGN_OR_RETURN(options, plugin_.ofLibrary(date_));
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

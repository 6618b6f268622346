#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "archive/store/archive_access.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/own_program.h"
#include "golden/base/typed_words.h"
#include "golden/base/user_folder.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/python_programs.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// An environment of JAX takes half a gigabyte, one of TensorFlow 1.3.
constexpr double kLittleGigabytes = 2;

struct Diagnosis {
  enum class State { kWorks, kMissing, kBroken };
  std::string what;
  State state = State::kWorks;
  std::string detail;  // The thing found, or why it does not work and what to do.
};

using enum Diagnosis::State;

std::string_view stateName(Diagnosis::State state) {
  constexpr std::string_view kNames[] = {"works", "missing", "BROKEN"};
  return kNames[static_cast<size_t>(state)];
}

// Works, if `found` has a value; otherwise in the state `lacking`, with the error.
Diagnosis diagnosed(const char* what, const Result<std::string>& found, Diagnosis::State lacking) {
  if (!found) return {what, lacking, found.error().message};
  return {what, kWorks, *found};
}

Result<std::string> findEngine(ProcessHost& host) {
  ASSIGN_OR_RETURN(const auto worker, findWorkerProgram());
  ASSIGN_OR_RETURN(const auto build, introduce({worker.string()}, host));
  return build.name + " starts";
}

Result<std::string> findConfinement(ProcessHost& host) {
  ASSIGN_OR_RETURN(const auto worker, findWorkerProgram());
  ASSIGN_OR_RETURN(const auto said, runProgram({worker.string(), "--confinement"}, host));
  const std::string line = said.out.substr(0, said.out.find('\n'));
  if (said.status == 0) return line;
  return unsupported("{}", line);
}

Result<std::string> findSandbox(ProcessHost& host) {
  ASSIGN_OR_RETURN(const auto command, sandboxed({"/bin/true"}));
  ASSIGN_OR_RETURN(const auto ended, runProgram(command, host));
  if (ended.status == 0)
    return "workers of installed releases, and with --sandbox all: no network, no homes, a system "
           "to read";
  return unsupported("bubblewrap does not start here: {}", ended.errorTail);
}

Result<std::string> findPlugins() {
  for (const char* name : {"vintage-pjrt-worker", "vintage-pjrt-prepare"})
    RETURN_IF_ERROR(programBeside(name));
  return "'vintage builds add --plugin' registers one (docs/howto/pjrt.md)";
}

Diagnosis findPython(ProcessHost& host) {
  const auto interpreter = findInterpreter(host);
  const auto title = [](const Framework& framework) { return std::string(framework.title); };
  if (!interpreter)
    return {"Python", kMissing,
            fmt::format("{}; only {} need it", interpreter.error().message,
                        listFrameworks("and", title))};
  for (const Framework* framework : frameworks())
    if (const auto programs = findPythonPrograms(*framework); !programs)
      return {"Python", kBroken, programs.error().message};
  return {"Python", kWorks, *interpreter};
}

Result<std::string> findIndex(ProcessHost& host) {
  const auto interpreter = findInterpreter(host);
  const auto programs = findPythonPrograms(kJax);
  if (!interpreter || !programs) return notFound("it is asked by Python, which is missing");
  ASSIGN_OR_RETURN(const auto answer, askPython({*interpreter, programs->string(), "environment",
                                                 "--jax", "latest", "--list"},
                                                "the package index", host, {}));
  const json releases = answer.result.value("releases", json::array());
  if (releases.empty()) return notFound("no release of JAX fits an interpreter here");
  return fmt::format("the newest JAX for the interpreters here is {}",
                     releases[0].value("release", ""));
}

Diagnosis findDisk(const std::string& what, const fs::path& folder) {
  fs::path place = fs::absolute(folder);
  std::error_code problem;
  while (!fs::exists(place, problem) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  const fs::space_info space = fs::space(place, problem);
  if (problem) return {what, kBroken, fmt::format("{}: {}", place.string(), problem.message())};
  const double gigabytes = static_cast<double>(space.available) / 1e9;
  return {what, gigabytes < kLittleGigabytes ? kMissing : kWorks,
          fmt::format("{:.1f} GB free in {}", gigabytes, place.string())};
}

Result<std::string> findArchive(const std::string& folder) {
  ASSIGN_OR_RETURN(auto archive, Archive::open(folder, Archive::Mode::kReadOnly));
  ASSIGN_OR_RETURN(const auto builds, registeredBuilds(archive));
  return fmt::format("{}: {}, {} can be started here", folder, counted(builds.size(), "build"),
                     std::ranges::count_if(builds, canStart));
}

Diagnosis findAccess(const std::string& folder) {
  const auto problems = accessProblems(folder, 2);
  if (problems.empty()) return {"archive's files", kWorks, "owners and modes fit"};
  const AccessProblem& first = problems.front();
  return {"archive's files", kBroken,
          problems.size() == 1
              ? fmt::format("{}: {}; run '{}'", first.path, first.problem, first.command)
              : fmt::format("{}: {}, and more; run 'vintage fsck --archive {} --repair' as root",
                            first.path, first.problem, shellWord(folder))};
}

fs::path environmentsRoot(const char* variable, const char* folder) {
  if (const char* root = std::getenv(variable); root != nullptr && *root != '\0') return root;
  return userFolder("XDG_DATA_HOME", ".local/share") / folder;
}

class DoctorVerb final : public Verb {
 public:
  DoctorVerb()
      : Verb("doctor", "Say what of Vintage works on this machine, and what the rest needs",
             "vintage doctor --archive A") {}

  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "Also look at this archive");
    app.add_flag("--offline", offline_, "Do not ask the package index");
  }

  Result<int> run(Console& console) override {
    auto host = makePosixProcessHost();
    std::vector<Diagnosis> findings{
        {"vintage", kWorks,
         fmt::format("{}, with LLVM {} and SQLite {}", vintageVersion(), llvmVersion(),
                     sqliteVersion())},
        {"processors", kWorks, std::to_string(std::max(1u, std::thread::hardware_concurrency()))},
        diagnosed("engine", findEngine(*host), kBroken),
        diagnosed("engine's limits", findConfinement(*host), kMissing),
        diagnosed("sandbox", findSandbox(*host), kMissing),
        diagnosed("PJRT plugins", findPlugins(), kMissing),
        findPython(*host)};
    if (!offline_) findings.push_back(diagnosed("package index", findIndex(*host), kMissing));
    findings.push_back(
        findDisk("JAX releases", environmentsRoot("VINTAGE_JAX_ROOT", "vintage/jax")));
    findings.push_back(
        findDisk("other releases", environmentsRoot("VINTAGE_RUNTIMES_ROOT", "vintage/runtimes")));
    std::error_code problem;
    findings.push_back(findDisk("temporary files", fs::temp_directory_path(problem)));
    if (!archive_.empty()) {
      findings.push_back(diagnosed("archive", findArchive(archive_), kBroken));
      findings.push_back(findAccess(archive_));
    }
    print(findings, console);
    return std::ranges::count(findings, kBroken, &Diagnosis::state) > 0 ? kExitCannotTell
                                                                        : kExitHolds;
  }

 private:
  static void print(const std::vector<Diagnosis>& findings, Console& console) {
    json list = json::array();
    for (const Diagnosis& finding : findings)
      console.row(
          list,
          {{"what", finding.what}, {"state", stateName(finding.state)}, {"detail", finding.detail}},
          "{:<16} {:<8} {}", finding.what, stateName(finding.state), finding.detail);
    if (console.json()) console.printJson(list);
  }

  std::string archive_;
  bool offline_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeDoctorVerb() { return std::make_unique<DoctorVerb>(); }

}  // namespace vintage::harness

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/release_facts.h"
#include "harness/runtimes/builds/when_needed.h"
#include "harness/runtimes/conversation.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

// Registered releases of the two packages.
struct Packages {
  std::map<PackageVersion, JaxPackage> jax;
  std::map<PackageVersion, JaxlibPackage> jaxlib;
};

Packages packagesOf(const std::vector<BuildRecord>& builds) {
  Packages packages;
  for (const BuildRecord& build : builds) {
    if (!build.details.runtime) continue;
    const PackagePairing& pairing = build.details.runtime->packages;
    if (const auto version = parsePackageVersion(pairing.jax); version && !pairing.jax.empty())
      packages.jax[*version] = {pairing.jax, pairing.minimumJaxlib, {}};
    if (const auto version = parsePackageVersion(pairing.jaxlib);
        version && !pairing.jaxlib.empty())
      packages.jaxlib[*version] = {pairing.jaxlib, pairing.extensionVersion};
  }
  return packages;
}

// The one that was typed, `unknown` where it is not registered, or all.
template <typename Package>
Result<std::vector<Package>> chosen(const std::map<PackageVersion, Package>& packages,
                                    const char* option, const std::string& typed, Package unknown) {
  std::vector<Package> all;
  if (typed.empty()) {
    for (const auto& [version, package] : packages) all.push_back(package);
    return all;
  }
  ASSIGN_OR_RETURN(const auto version, within(option, parsePackageVersion(typed)));
  const auto known = packages.find(version);
  all.push_back(known != packages.end() ? known->second : std::move(unknown));
  all.back().version = typed;  // 0.5.3.0 is 0.5.3 to the index, and newer than it to JAX.
  return all;
}

const char* answerName(Pairing::Answer answer) {
  constexpr const char* kNames[] = {"allowed", "forbidden", "cannot tell"};
  return kNames[static_cast<size_t>(answer)];
}

struct CheckedBuild {
  std::string name, state,
      problem;  // "starts", "made when needed", "facts", "cannot start", "is another build"
};

CheckedBuild checkBuild(const BuildRecord& build, bool named, ProcessHost& host) {
  if (!build.start) return {build.name, "facts", ""};
  // Hundreds may wait: only one that is named is made to be looked at.
  if (!named && !isEnvironmentThere(*build.start) && canBeMade(*build.start))
    return {build.name, "made when needed", ""};
  auto ready = readyToStart(build, host);
  if (!ready) return {build.name, "cannot start", ready.error().message};
  auto answering = introduce(ready->start->worker, host);
  if (!answering) return {build.name, "cannot start", answering.error().message};
  if (Status status = checkGreeting(*ready, *answering); !status)
    return {build.name, "is another build", status.error().message};
  return {build.name, "starts", ""};
}

class CheckAction final : public BuildsAction {
 public:
  void addTo(CLI::App& app) override {
    app.add_option("BUILD", builds_, "Check only these builds (default: all)");
    app.add_option("--jax", jax_, "Instead: list the jaxlibs that go with this jax");
    app.add_option("--jaxlib", jaxlib_,
                   "Instead: list the jaxes that go with this jaxlib; with "
                   "--jax, check the two together");
    app.add_option("--needs-extension", neededExtension_,
                   "The extension version that the code of --jax needs");
    app.add_option("--extension", extension_, "The extension version of --jaxlib");
    app.add_flag("--pairs", pairs_, "Check every pair of a registered jax and jaxlib");
  }

  Result<int> run(const std::string& folder, Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(folder, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
    if (pairs_ || !jax_.empty() || !jaxlib_.empty()) {
      const Packages packages = packagesOf(builds);
      ASSIGN_OR_RETURN(auto jaxes, chosen(packages.jax, "--jax", jax_, JaxPackage{jax_, "", {}}));
      ASSIGN_OR_RETURN(auto jaxlibs,
                       chosen(packages.jaxlib, "--jaxlib", jaxlib_, JaxlibPackage{jaxlib_, {}}));
      if (!jax_.empty() && neededExtension_ >= 0) jaxes.back().minimumExtension = neededExtension_;
      if (!jaxlib_.empty() && extension_ >= 0) jaxlibs.back().extension = extension_;
      if (jaxes.empty() || jaxlibs.empty()) {
        console.error(
            {Error::Kind::kNotFound,
             fmt::format("{}: no {} is registered; 'vintage builds import' takes a list of "
                         "releases",
                         archive.folder(), jaxes.empty() ? "jax" : "jaxlib")});
        return kExitNothingRan;
      }
      json pairs = json::array();
      bool forbidden = false, unknown = false;
      for (const JaxPackage& jax : jaxes)
        for (const JaxlibPackage& jaxlib : jaxlibs) {
          ASSIGN_OR_RETURN(auto pairing, checkPairing(jax, jaxlib));
          forbidden |= pairing.answer == Pairing::Answer::kForbidden;
          unknown |= pairing.answer == Pairing::Answer::kUnknown;
          console.row(pairs,
                      {{"jax", jax.version},
                       {"jaxlib", jaxlib.version},
                       {"answer", answerName(pairing.answer)},
                       {"reason", pairing.reason}},
                      "jax {:<10} jaxlib {:<10} {}{}", jax.version, jaxlib.version,
                      answerName(pairing.answer),
                      pairing.reason.empty() ? "" : ": " + pairing.reason);
        }
      if (console.json()) console.printJson({{"pairs", pairs}});
      // A list is no question that could be answered with no.
      if (jaxes.size() * jaxlibs.size() > 1 && (jax_.empty() || jaxlib_.empty())) return kExitHolds;
      return forbidden ? kExitDoesNotHold : unknown ? kExitCannotTell : kExitHolds;
    }

    auto host = makePosixProcessHost();
    for (const std::string& wanted : builds_) RETURN_IF_ERROR(findBuild(archive, wanted));
    json checked = json::array();
    int status = kExitHolds;
    size_t started = 0, facts = 0, number = 0;
    for (const BuildRecord& build : builds) {
      ++number;
      if (!builds_.empty() && std::ranges::find(builds_, build.name) == builds_.end()) continue;
      console.progress("start", number, builds.size());
      const CheckedBuild one = checkBuild(build, !builds_.empty(), *host);
      started += one.state == "starts";
      facts += one.state == "facts";
      if (one.state == "is another build") status = kExitDoesNotHold;
      if (one.state == "cannot start" && status == kExitHolds) status = kExitCannotTell;
      checked.push_back({{"name", one.name}, {"state", one.state}, {"problem", one.problem}});
      if (!console.json() && one.state != "facts")
        console.line(fmt::format("{:<34} {}{}", one.name, one.state,
                                 one.problem.empty() ? "" : ": " + one.problem));
    }
    console.answerLine({{"builds", checked}}, "{} of {} start, {} are known by their facts only",
                       started, checked.size(), facts);
    return status == kExitHolds && checked.empty() ? kExitNothingRan : status;
  }

 private:
  std::vector<std::string> builds_;
  std::string jax_, jaxlib_;
  int neededExtension_ = -1, extension_ = -1;
  bool pairs_ = false;
};

}  // namespace

std::unique_ptr<BuildsAction> makeCheckAction() { return std::make_unique<CheckAction>(); }

}  // namespace vintage::harness

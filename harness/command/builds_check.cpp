#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/runtimes/builds/pairing.h"
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

const char* answerName(Pairing::Answer answer) {
  switch (answer) {
    case Pairing::Answer::kAllowed: return "allowed";
    case Pairing::Answer::kForbidden: return "forbidden";
    case Pairing::Answer::kUnknown: return "cannot tell";
  }
  return "";
}

struct CheckedBuild {
  std::string name, state, problem;  // "starts", "facts", "cannot start", "is another build"
};

CheckedBuild checkBuild(const BuildRecord& build, ProcessHost& host) {
  if (!build.start) return {build.name, "facts", ""};
  auto ready = readyToStart(build, host);
  if (!ready) return {build.name, "cannot start", ready.error().message};
  auto answering = introduce(ready->start->worker, host);
  if (!answering) return {build.name, "cannot start", answering.error().message};
  if (Status status = checkGreeting(*ready, *answering); !status)
    return {build.name, "is another build", status.error().message};
  return {build.name, "starts", ""};
}

}  // namespace

void CheckAction::addTo(CLI::App& app) {
  app.add_option("BUILD", builds_, "Check only these builds (default: all)");
  app.add_option("--jax", jax_, "Instead: list the jaxlibs that go with this jax");
  app.add_option("--jaxlib", jaxlib_, "Instead: list the jaxes that go with this jaxlib; with "
                                      "--jax, check the two together");
  app.add_option("--needs-extension", neededExtension_,
                 "The extension version that the code of --jax needs");
  app.add_option("--extension", extension_, "The extension version of --jaxlib");
  app.add_flag("--pairs", pairs_, "Check every pair of a registered jax and jaxlib");
}

Result<int> CheckAction::run(const Archive& archive, Console& console) const {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  json out = json::object();
  int status = kExitHolds;

  if (pairs_ || !jax_.empty() || !jaxlib_.empty()) {
    const Packages packages = packagesOf(builds);
    std::vector<JaxPackage> jaxes;
    std::vector<JaxlibPackage> jaxlibs;
    if (!jax_.empty()) {
      const auto version = parsePackageVersion(jax_);
      if (!version) return within("--jax", version.error());
      const auto known = packages.jax.find(*version);
      jaxes.push_back(known != packages.jax.end() ? known->second : JaxPackage{jax_, "", {}});
      if (neededExtension_ >= 0) jaxes.back().minimumExtension = neededExtension_;
    } else {
      for (const auto& [version, package] : packages.jax) jaxes.push_back(package);
    }
    if (!jaxlib_.empty()) {
      const auto version = parsePackageVersion(jaxlib_);
      if (!version) return within("--jaxlib", version.error());
      const auto known = packages.jaxlib.find(*version);
      jaxlibs.push_back(known != packages.jaxlib.end() ? known->second
                                                       : JaxlibPackage{jaxlib_, {}});
      if (extension_ >= 0) jaxlibs.back().extension = extension_;
    } else {
      for (const auto& [version, package] : packages.jaxlib) jaxlibs.push_back(package);
    }
    if (jaxes.empty() || jaxlibs.empty()) {
      console.error({Error::Kind::kNotFound,
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
        pairs.push_back({{"jax", jax.version},
                         {"jaxlib", jaxlib.version},
                         {"answer", answerName(pairing.answer)},
                         {"reason", pairing.reason}});
        if (!console.json())
          console.line(fmt::format("jax {:<10} jaxlib {:<10} {}{}", jax.version, jaxlib.version,
                                   answerName(pairing.answer),
                                   pairing.reason.empty() ? "" : ": " + pairing.reason));
      }
    out["pairs"] = pairs;
    if (console.json()) console.printJson(out);
    // A list is no question that could be answered with no.
    if (jaxes.size() * jaxlibs.size() > 1 && (jax_.empty() || jaxlib_.empty())) return kExitHolds;
    return forbidden ? kExitDoesNotHold : unknown ? kExitCannotTell : kExitHolds;
  }

  auto host = makePosixProcessHost();
  for (const std::string& wanted : builds_) RETURN_IF_ERROR(findBuild(archive, wanted));
  json checked = json::array();
  size_t started = 0, facts = 0, number = 0;
  for (const BuildRecord& build : builds) {
    ++number;
    if (!builds_.empty() && std::ranges::find(builds_, build.name) == builds_.end()) continue;
    console.progress("start", number, builds.size());
    const CheckedBuild one = checkBuild(build, *host);
    started += one.state == "starts";
    facts += one.state == "facts";
    if (one.state == "is another build") status = kExitDoesNotHold;
    if (one.state == "cannot start" && status == kExitHolds) status = kExitCannotTell;
    checked.push_back({{"name", one.name}, {"state", one.state}, {"problem", one.problem}});
    if (!console.json() && one.state != "facts")
      console.line(fmt::format("{:<34} {}{}", one.name, one.state,
                               one.problem.empty() ? "" : ": " + one.problem));
  }
  out["builds"] = checked;
  console.answerLine(out, "{} of {} start, {} are known by their facts only", started,
                     checked.size(), facts);
  return status == kExitHolds && checked.empty() ? kExitNothingRan : status;
}

}  // namespace vintage::harness

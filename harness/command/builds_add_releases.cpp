#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/command/builds_actions.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

using nlohmann::json;

void AddReleasesAction::addTo(CLI::App& app) {
  app.add_option("--jax", request_.releases,
                 "Register real releases of JAX: 0.8.1, 0.12 (its newest patch), 0.4.30..0.12, "
                 "latest, window (all that the promises of today cover); docs/jax.md")
      ->type_name("RELEASE ...");
  app.add_option(
         "--tensorflow", tensorflow_,
         "Register releases of TensorFlow in the same way: 2.21.0, 2.18, 2.16..2.21, latest; "
         "docs/tensorflow.md")
      ->type_name("RELEASE ...");
  app.add_option(
         "--iree", iree_,
         "Register releases of IREE in the same way: 3.13.0, 3.1..3.13, latest; docs/iree.md")
      ->type_name("RELEASE ...");
  app.add_option("--python", request_.python,
                 "Register the JAX of this interpreter's own environment");
  app.add_option("--root", request_.root,
                 "Where environments for releases are kept (default: VINTAGE_JAX_ROOT, or "
                 "vintage/jax in XDG_DATA_HOME, for JAX; else VINTAGE_RUNTIMES_ROOT, or "
                 "vintage/runtimes)");
  app.add_option("--wheels", request_.wheels,
                 "Take the releases' wheels from this folder; needs no network");
  app.add_option("--today", request_.today, "The day of 'window' (default: today)");
  app.add_option("--condition", condition_,
                 "warm: the worker lowers a program of its own before it loads artifacts; fresh: "
                 "it does not, as a server that only loads them")
      ->check(CLI::IsMember({"warm", "fresh", "both"}))
      ->capture_default_str();
}

bool AddReleasesAction::asked() const {
  return !request_.releases.empty() || !request_.python.empty() || !tensorflow_.empty() ||
         !iree_.empty();
}

std::vector<EnvironmentRequest> AddReleasesAction::requests(const std::string& date) const {
  std::vector<EnvironmentRequest> requests;
  const auto add = [&](const Framework& framework, const std::vector<std::string>& releases,
                       const std::string& python) {
    if (releases.empty() && python.empty()) return;
    EnvironmentRequest request = request_;
    request.framework = &framework;
    request.releases = releases;
    request.python = python;
    request.released = date;
    requests.push_back(std::move(request));
  };
  add(kJax, request_.releases, request_.python);
  add(kTensorFlow, tensorflow_, "");
  add(kIree, iree_, "");
  return requests;
}

Result<AddReleasesAction::Made> AddReleasesAction::makeAll(const std::string& date,
                                                           Console& console) const {
  std::vector<Condition> conditions;
  if (condition_ != "fresh") conditions.push_back(Condition::kWarm);
  if (condition_ != "warm") conditions.push_back(Condition::kFresh);
  auto host = makePosixProcessHost();
  Made made;
  for (const EnvironmentRequest& request : requests(date)) {
    ASSIGN_OR_RETURN(auto report,
                     makeEnvironments(request, conditions, *host,
                                      progressOn(console)));
    const std::string_view framework = request.framework->name;
    std::ranges::move(report.builds, std::back_inserter(made.builds));
    for (const auto& [release, why] : report.leftOut)
      made.leftOut.push_back({framework, release, why});
    for (const auto& [release, why] : report.failed)
      made.failed.push_back({framework, release, why});
  }
  return made;
}

Result<int> AddReleasesAction::run(Archive& archive, const std::string& name,
                                   const std::string& date, Console& console) const {
  RETURN_IF_ERROR(parseDateOption(date, "--date"));
  RETURN_IF_ERROR(parseDateOption(request_.today, "--today"));
  ASSIGN_OR_RETURN(auto made, makeAll(date, console));
  if (!name.empty() && made.builds.size() > 1)
    return usageError("--name names one build; these are {}", made.builds.size());
  json registered = json::array();
  for (BuildRecord& build : made.builds) {
    if (!name.empty()) build.name = name;
    if (Status status = registerBuild(archive, build); !status) {
      made.failed.push_back({"", build.name, status.error().message});
      continue;
    }
    if (console.json())
      registered.push_back(wholeBuild(build));
    else
      console.line("registered: " + buildLine(build));
  }
  print(made, std::move(registered), console);
  return made.failed.empty() && !made.builds.empty() ? kExitHolds : kExitCannotTell;
}

void AddReleasesAction::print(const Made& made, json registered, Console& console) {
  const auto list = [](const std::vector<Missed>& reasons) {
    json list = json::array();
    for (const Missed& missed : reasons)
      list.push_back({{"framework", missed.framework},
                      {"release", missed.release},
                      {"reason", missed.reason}});
    return list;
  };
  const auto text = [](const Missed& missed) {
    return fmt::format("{}{}{}: {}", missed.framework, missed.framework.empty() ? "" : " ",
                       missed.release, missed.reason);
  };
  if (console.json())
    console.printJson({{"registered", std::move(registered)},
                       {"left_out", list(made.leftOut)},
                       {"failed", list(made.failed)}});
  else
    for (const Missed& missed : made.leftOut) console.line("left out: " + text(missed));
  for (const Missed& missed : made.failed) console.error({Error::Kind::kIo, text(missed)});
}

}  // namespace vintage::harness

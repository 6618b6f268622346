#include <fmt/format.h>

#include "harness/command/builds_actions.h"
#include "harness/command/filter_options.h"
#include "harness/command/verb.h"

namespace vintage::harness::command {

using nlohmann::json;

void AddReleasesAction::addTo(CLI::App& app) {
  app.add_option("--jax", request_.releases,
                 "Register real releases of JAX: 0.8.1, 0.12 (its newest patch), 0.4.30..0.12, "
                 "latest, window (all that the promises of today cover); docs/jax.md")
      ->type_name("RELEASE ...");
  app.add_option("--python", request_.python,
                 "Register the JAX of this interpreter's own environment");
  app.add_option("--root", request_.root,
                 "Where environments for releases are kept (default: VINTAGE_JAX_ROOT, or "
                 "vintage/jax in XDG_DATA_HOME)");
  app.add_option("--wheels", request_.wheels,
                 "Take the releases' wheels from this folder; needs no network");
  app.add_option("--today", request_.today, "The day of --jax window (default: today)");
  app.add_option("--condition", condition_,
                 "warm: the worker lowers a program of its own before it loads artifacts; fresh: "
                 "it does not, as a server that only loads them")
      ->check(CLI::IsMember({"warm", "fresh", "both"}))
      ->capture_default_str();
}

bool AddReleasesAction::asked() const {
  return !request_.releases.empty() || !request_.python.empty();
}

Result<int> AddReleasesAction::run(Archive& archive, const std::string& name,
                                   const std::string& date, Console& console) const {
  RETURN_IF_ERROR(parseDateOption(date, "--date"));
  RETURN_IF_ERROR(parseDateOption(request_.today, "--today"));
  std::vector<Condition> conditions;
  if (condition_ != "fresh") conditions.push_back(Condition::kWarm);
  if (condition_ != "warm") conditions.push_back(Condition::kFresh);
  EnvironmentRequest request = request_;
  request.released = date;
  auto host = makePosixProcessHost();
  ASSIGN_OR_RETURN(auto report,
                   makeEnvironments(request, conditions, *host,
                                    {[&](const std::string& text) { console.note(text); }, {}}));
  if (!name.empty() && report.builds.size() > 1)
    return failure(Error::Kind::kUsage,
                   fmt::format("--name names one build; these are {}", report.builds.size()));
  json registered = json::array();
  for (BuildRecord& build : report.builds) {
    if (!name.empty()) build.name = name;
    if (Status status = archive.putBuild(build); !status) {
      report.failed.emplace_back(build.version, status.error().message);
      continue;
    }
    if (console.json())
      registered.push_back(wholeBuild(build));
    else
      console.line("registered: " + buildLine(build));
  }
  print(report, std::move(registered), console);
  return report.failed.empty() && !report.builds.empty() ? kExitHolds : kExitCannotTell;
}

void AddReleasesAction::print(const EnvironmentsReport& report, json registered, Console& console) {
  const auto list = [](const auto& reasons) {
    json list = json::array();
    for (const auto& [release, reason] : reasons)
      list.push_back({{"release", release}, {"reason", reason}});
    return list;
  };
  if (console.json())
    console.printJson({{"registered", std::move(registered)},
                       {"left_out", list(report.leftOut)},
                       {"failed", list(report.failed)}});
  else
    for (const auto& [release, reason] : report.leftOut)
      console.line(fmt::format("left out: jax {}: {}", release, reason));
  for (const auto& [release, reason] : report.failed)
    console.error({Error::Kind::kIo, fmt::format("jax {}: {}", release, reason)});
}

}  // namespace vintage::harness::command

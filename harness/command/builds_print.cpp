#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/store/record_json.h"
#include "harness/command/builds_actions.h"
#include "primitives/limitations/limitations.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;

namespace {

void field(std::string& text, std::string_view name, const std::string& value) {
  if (!value.empty()) text += fmt::format("{:<24}{}\n", name, value);
}

std::string rangeText(int oldest, int newest) {
  return newest > 0 ? fmt::format("{} to {}", oldest, newest) : "not known";
}

std::string reads(const BuildRecord& build) {
  std::string text =
      build.newestCallingConvention > 0
          ? fmt::format("calling conventions {}",
                        rangeText(build.oldestCallingConvention, build.newestCallingConvention))
          : "calling conventions not known";
  if (!build.stablehloVersion.empty()) text += ", StableHLO up to " + build.stablehloVersion;
  return text;
}

// "  lapack_sgetrf_ffi, cpu, default: 1 operand, no attributes, api_version 4; lu"
std::string emissionText(const RuntimeDescription& runtime) {
  if (!runtime.emission.known()) return "";
  std::string text;
  for (const std::string& platform : knownPlatforms())
    if (!runtime.knowsRegistry(platform))
      field(text, "registered for", fmt::format("{}: not known", platform));
  field(text, "calls emitted", fmt::format("{}", runtime.emission.calls.size()));
  for (const EmittedCall& call : runtime.emission.calls)
    text += fmt::format("  {}, {}, {}: {}; for {}{}\n", call.name, call.platform, call.mode,
                        signatureText(call.signature), fmt::join(call.primitives, ", "),
                        call.unlisted ? "; its check was switched off" : "");
  return text;
}

// A replay on the embedded engine registers what ran and keeps no program: tomorrow's engine is
// another build.
std::string startText(const BuildRecord& build) {
  if (!isOwn(build)) return ", reported by " + build.details.reporter;
  if (build.kind == "facts" || canStart(build)) return "";
  if (build.kind == "engine" && !build.start)
    return ", its program was not kept ('vintage builds add --embedded' keeps this one's)";
  return build.start ? ", cannot be started here" : ", known by its facts only";
}

}  // namespace

std::string buildLine(const BuildRecord& build) {
  return fmt::format("{}  {:<34} {:<10} {:<8} {}{}", formatDate(build.buildDate), build.name,
                     fmt::join(build.platforms, ","), build.kind, reads(build), startText(build));
}

std::string buildText(const BuildRecord& build) {
  std::string text;
  field(text, "name", build.name);
  field(text, "version", build.version);
  field(text, "build date", formatDate(build.buildDate));
  field(text, "kind", build.kind);
  field(text, "platforms", fmt::format("{}", fmt::join(build.platforms, ", ")));
  field(text, "modes", fmt::format("{}", fmt::join(build.modes, ", ")));
  field(text, "calling conventions",
        rangeText(build.oldestCallingConvention, build.newestCallingConvention));
  field(text, "serialization",
        build.newestSerialization > 0 ? fmt::format("up to {}", build.newestSerialization)
                                      : "not known");
  field(text, "StableHLO",
        build.stablehloVersion.empty() ? "not known" : "up to " + build.stablehloVersion);
  if (build.start) field(text, "command", fmt::format("{}", fmt::join(build.start->worker, " ")));
  const BuildDetails& details = build.details;
  if (details.commit)
    field(text, "commit",
          fmt::format("{} of {}: {}", details.commit->id.substr(0, 12), details.commit->time,
                      details.commit->subject));
  if (details.said && details.said->name != build.name)
    field(text, "its worker says", details.said->name);
  if (details.environment) {
    const PythonEnvironment& environment = *details.environment;
    if (build.start)
      field(text, "environment",
            build.start->environment.empty() ? "one of your own" : build.start->environment);
    field(text, "Python", environment.python);
    field(text, "condition", environment.condition);
    field(text, "its day is said by", environment.releasedBy);
    for (const PythonEnvironment::Package& package : environment.packages)
      field(text, "package",
            fmt::format("{} {} sha256 {}", package.name, package.version, package.sha256));
  }
  if (!details.program.empty()) field(text, "program", "sha256 " + details.program);
  if (build.start)
    for (const StartCommand::Library& library : build.start->libraries)
      field(text, library.kept ? "loads, kept with it" : "loads", library.file);
  if (details.runtime) return text + descriptionText(*details.runtime);
  field(text, "targets", fmt::format("{}", fmt::join(build.customCallTargets, ", ")));
  return text;
}

std::string descriptionText(const RuntimeDescription& runtime) {
  std::string text;
  const PackagePairing& packages = runtime.packages;
  field(text, "minimum jaxlib", packages.minimumJaxlib);
  if (packages.extensionVersion)
    field(text, "extension version", fmt::format("{}", *packages.extensionVersion));
  field(text, "targets registered", fmt::format("{}", runtime.targets.size()));
  for (const RegisteredTarget& target : runtime.targets) {
    const auto valueText = [](const TargetValue& value) {
      return fmt::format("{}{}: {}", value.name, value.optional ? "?" : "", value.type);
    };
    const auto list = [&](const std::vector<TargetValue>& values) {
      return fmt::format("{}", fmt::join(values | std::views::transform(valueText), ", "));
    };
    std::string line = fmt::format("  {} ({}) -> ({})", target.name, list(target.schema.operands),
                                   list(target.schema.results));
    if (!target.schema.attributes.empty())
      line += fmt::format(" {{{}}}", list(target.schema.attributes));
    text += fmt::format("{}, {}{}\n", line, target.platform,
                        target.since ? ", since " + formatDate(*target.since) : "");
  }
  text += emissionText(runtime);
  field(text, "targets guaranteed", fmt::format("{}", runtime.stableTargets.size()));
  for (const StableTarget& target : runtime.stableTargets)
    text += fmt::format("  {}{}\n", target.name,
                        target.since ? ", since " + formatDate(*target.since) : "");
  return text;
}

nlohmann::json wholeBuild(const BuildRecord& build) {
  nlohmann::json json = recordJson(build);
  json["command"] = build.start ? build.start->worker : std::vector<std::string>();
  json["libraries"] = nlohmann::json::array();
  if (build.start)
    for (const StartCommand::Library& library : build.start->libraries)
      json["libraries"].push_back(
          {{"name", library.name}, {"file", library.file}, {"kept", library.kept}});
  json["can_start"] = canStart(build);
  return json;
}

}  // namespace vintage::harness

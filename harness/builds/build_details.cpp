#include "harness/builds/build_details.h"

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness::builds {
namespace {

using nlohmann::json;

std::string textOf(const json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> textsOf(const json& object, const char* field) {
  std::vector<std::string> texts;
  if (const auto found = object.find(field); found != object.end() && found->is_array())
    for (const json& one : *found)
      if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

std::optional<KeptProgram> readProgram(const json& details) {
  const auto found = details.find("program");
  if (found == details.end() || !found->is_object()) return std::nullopt;
  KeptProgram program;
  program.hash = textOf(*found, "hash");
  program.name = textOf(*found, "name");
  const auto libraries = found->find("libraries");
  if (libraries != found->end() && libraries->is_array())
    for (const json& one : *libraries)
      if (one.is_object())
        program.libraries.push_back({textOf(one, "name"), textOf(one, "file"), textOf(one, "hash"),
                                     one.value("kept", json(false)) == json(true)});
  return program;
}

json environmentJson(const PythonEnvironment& environment) {
  json packages = json::array();
  for (const PythonEnvironment::Package& package : environment.packages)
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"wheel", package.wheel},
                        {"sha256", package.sha256}});
  return {{"place", environment.place},         {"python", environment.python},
          {"condition", environment.condition}, {"released_by", environment.releasedBy},
          {"packages", std::move(packages)},    {"producer", environment.producer},
          {"produces", environment.produces}};
}

std::optional<PythonEnvironment> readEnvironment(const json& details) {
  const auto found = details.find("environment");
  if (found == details.end() || !found->is_object()) return std::nullopt;
  PythonEnvironment environment;
  environment.place = textOf(*found, "place");
  environment.python = textOf(*found, "python");
  environment.condition = textOf(*found, "condition");
  environment.releasedBy = textOf(*found, "released_by");
  environment.produces = textOf(*found, "produces");
  if (const auto packages = found->find("packages");
      packages != found->end() && packages->is_array())
    for (const json& one : *packages)
      if (one.is_object())
        environment.packages.push_back({textOf(one, "name"), textOf(one, "version"),
                                        textOf(one, "wheel"), textOf(one, "sha256")});
  environment.producer = textsOf(*found, "producer");
  return environment;
}

}  // namespace

std::string writeBuildDetails(const BuildDetails& details) {
  json out = json::object();
  if (!details.runtime.is_null()) out["runtime"] = details.runtime;
  if (details.program) {
    json libraries = json::array();
    for (const SharedLibrary& library : details.program->libraries)
      libraries.push_back({{"name", library.name},
                           {"file", library.file},
                           {"hash", library.hash},
                           {"kept", library.kept}});
    out["program"] = {
        {"hash", details.program->hash}, {"name", details.program->name}, {"libraries", libraries}};
  }
  if (!details.surelyReads.empty()) out["surely_reads"] = details.surelyReads;
  if (details.said)
    out["said"] = {{"name", details.said->name}, {"build_date", details.said->buildDate}};
  if (details.commit)
    out["commit"] = {{"id", details.commit->id},
                     {"time", details.commit->time},
                     {"subject", details.commit->subject}};
  if (!details.formats.empty()) out["formats"] = details.formats;
  if (details.environment) out["environment"] = environmentJson(*details.environment);
  return out.empty() ? "" : out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<BuildDetails> buildDetails(const BuildRecord& build) {
  BuildDetails details;
  if (build.details.empty()) return details;
  const json document = json::parse(build.details, nullptr, false);
  if (!document.is_object())
    return badInput("build '{}': its details are not a JSON object; register it again", build.name);
  if (const auto runtime = document.find("runtime"); runtime != document.end())
    details.runtime = *runtime;
  details.program = readProgram(document);
  if (const auto commit = document.find("commit"); commit != document.end() && commit->is_object())
    details.commit =
        SourceCommit{textOf(*commit, "id"), textOf(*commit, "time"), textOf(*commit, "subject")};
  if (const auto said = document.find("said"); said != document.end() && said->is_object())
    details.said = SaidOfItself{textOf(*said, "name"), textOf(*said, "build_date")};
  details.environment = readEnvironment(document);
  details.surelyReads = textOf(document, "surely_reads");
  details.formats = textsOf(document, "formats");
  return details;
}

bool readsFormat(const BuildRecord& build, ArtifactRecord::Format format) {
  const auto details = buildDetails(build);
  if (!details || details->formats.empty()) return format != ArtifactRecord::Format::kSavedModel;
  return std::ranges::find(details->formats, formatName(format)) != details->formats.end();
}

Result<std::optional<RuntimeDescription>> runtimeOf(const BuildDetails& details,
                                                    const std::string& build) {
  if (details.runtime.is_null()) return std::nullopt;
  ASSIGN_OR_RETURN(auto runtime, parseRuntimeDescription(details.runtime.dump(), build));
  return std::optional(std::move(runtime));
}

}  // namespace vintage::harness::builds

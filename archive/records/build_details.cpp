#include "archive/records/build_details.h"

#include "golden/base/failures.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

std::vector<std::string> textsOf(const json& object, const char* field) {
  std::vector<std::string> texts;
  if (const auto found = object.find(field); found != object.end() && found->is_array())
    for (const json& one : *found)
      if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

// Null where it is missing or something else.
const json* objectIn(const json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

PythonEnvironment readEnvironment(const json& object) {
  PythonEnvironment environment;
  environment.framework = textIn(object, "framework");
  environment.release = textIn(object, "release");
  environment.python = textIn(object, "python");
  environment.condition = textIn(object, "condition");
  environment.releasedBy = textIn(object, "released_by");
  environment.produces = textIn(object, "produces");
  if (const auto packages = object.find("packages");
      packages != object.end() && packages->is_array())
    for (const json& one : *packages)
      if (one.is_object())
        environment.packages.push_back({textIn(one, "name"), textIn(one, "version"),
                                        textIn(one, "wheel"), textIn(one, "sha256")});
  return environment;
}

}  // namespace

std::string textIn(const json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json environmentJson(const PythonEnvironment& environment) {
  json packages = json::array();
  for (const PythonEnvironment::Package& package : environment.packages)
    packages.push_back({{"name", package.name},
                        {"version", package.version},
                        {"wheel", package.wheel},
                        {"sha256", package.sha256}});
  return {{"framework", environment.framework},    {"release", environment.release},
          {"python", environment.python},          {"condition", environment.condition},
          {"released_by", environment.releasedBy}, {"produces", environment.produces},
          {"packages", std::move(packages)}};
}

json detailsJson(const BuildDetails& details) {
  json out = json::object();
  if (details.runtime) out["runtime"] = toJson(*details.runtime);
  if (!details.program.empty()) out["program"] = details.program;
  if (!details.commandHash.empty()) out["command_sha256"] = details.commandHash;
  if (!details.surelyReads.empty()) out["surely_reads"] = details.surelyReads;
  if (details.said)
    out["said"] = {{"name", details.said->name}, {"build_date", details.said->buildDate}};
  if (details.commit)
    out["commit"] = {{"id", details.commit->id},
                     {"time", details.commit->time},
                     {"subject", details.commit->subject}};
  if (!details.formats.empty()) out["formats"] = details.formats;
  if (!details.reporter.empty()) out["reporter"] = details.reporter;
  if (details.environment) out["environment"] = environmentJson(*details.environment);
  return out;
}

Result<BuildDetails> detailsOfJson(const json& document) {
  BuildDetails details;
  if (document.is_null()) return details;
  if (!document.is_object()) return badInput("a build's details have to be a JSON object");
  if (const auto runtime = document.find("runtime");
      runtime != document.end() && !runtime->is_null()) {
    ASSIGN_OR_RETURN(details.runtime, runtimeOfJson(*runtime, "runtime"));
  }
  details.program = textIn(document, "program");
  details.commandHash = textIn(document, "command_sha256");
  // Before format 12 it was an object, with the libraries.
  if (const json* program = objectIn(document, "program"))
    details.program = textIn(*program, "hash");
  if (const json* commit = objectIn(document, "commit"))
    details.commit =
        SourceCommit{textIn(*commit, "id"), textIn(*commit, "time"), textIn(*commit, "subject")};
  if (const json* said = objectIn(document, "said"))
    details.said = SaidOfItself{textIn(*said, "name"), textIn(*said, "build_date")};
  if (const json* environment = objectIn(document, "environment"))
    details.environment = readEnvironment(*environment);
  details.surelyReads = textIn(document, "surely_reads");
  details.formats = textsOf(document, "formats");
  details.reporter = textIn(document, "reporter");
  return details;
}

}  // namespace vintage::archive
